import type { McpRuntimeManager } from "@acumen/agent";
import { throwIfAborted, untilAborted } from "@acumen/core";
import { bullets, paragraphs } from "./answer-text.ts";
import type { CommandRoom, HostCommand } from "./host-command.ts";
import { serverItem } from "./server-item.ts";

const ACTIONS = ["pause", "resume", "retry"] as const;

export const mcpCommand: HostCommand = {
  name: "mcp",
  description: "List the MCP servers, or pause, resume or retry one in this session",
  hint: "[pause|resume|retry NAME]",
  run: async (room, words) => {
    const { mcp } = room.session;
    if (mcp === undefined) return "This session has no MCP servers.";
    if (words === "") return listed(mcp, room);
    // Names of servers that a host brings may hold spaces.
    const [, word, name = ""] = /^(\S+)\s+([\s\S]+)$/.exec(words) ?? [];
    const action = ACTIONS.find((one) => one === word?.toLowerCase());
    if (action === undefined) return "Say `/mcp`, or `/mcp pause|resume|retry NAME`.";
    throwIfAborted(room.signal);
    await untilAborted(mcp[action](name), room.signal);
    const servers = mcp.status().filter(({ server }) => server === name);
    return bullets(servers.map((server) => serverItem(server, room.say)));
  },
};

async function listed(mcp: McpRuntimeManager, { say, signal }: CommandRoom): Promise<string> {
  await untilAborted(mcp.reload(), signal);
  const servers = mcp.status();
  const { machine, workspace } = mcp.files;
  return paragraphs(
    servers.length === 0
      ? "No MCP server is defined. `acumen mcp add` in a terminal defines one, and the settings of the editor may bring some."
      : bullets(servers.map((server) => serverItem(server, say))),
    bullets(mcp.problems.map((problem) => say.prose(problem))),
    machine === "" || servers.every(({ source }) => source === "host")
      ? ""
      : `Defined in ${say.code(machine)}, enabled in ${say.code(workspace)}.`,
  );
}
