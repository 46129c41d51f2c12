import type { McpRuntimeManager } from "@acumen/agent";
import { untilAborted } from "@acumen/core";
import { cliError } from "../../errors.ts";
import { fileLines, statusLines } from "../../mcp/status-lines.ts";
import type { ChatRoom, SlashCommand } from "./slash-command.ts";

const ACTIONS = ["pause", "resume", "retry"] as const;

export const mcpCommand: SlashCommand = {
  name: "mcp",
  usage: "[pause|resume|retry NAME]",
  summary: "MCP servers of this session and their state",
  words: ACTIONS,
  run: async (room, words) => {
    const { mcp } = room.session;
    if (mcp === undefined) throw cliError("CLI_USAGE", "This session has no MCP servers.");
    await mcp.reload();
    if (words === "") list(room, mcp);
    else await act(room, mcp, words);
    return undefined;
  },
};

function list({ print, terminal }: ChatRoom, mcp: McpRuntimeManager): void {
  const servers = mcp.status();
  print(
    ...(servers.length === 0
      ? ["No MCP server is defined. `acumen mcp add` in another terminal defines one."]
      : statusLines(servers, terminal)),
    ...fileLines(mcp.files, mcp.problems, terminal),
  );
}

async function act(room: ChatRoom, mcp: McpRuntimeManager, words: string): Promise<void> {
  const [, word, name = ""] = /^(\S+)(?:\s+(\S+))?$/.exec(words) ?? [];
  const action = ACTIONS.find((one) => one === word);
  if (action === undefined || name === "") {
    throw cliError("CLI_USAGE", "Say `/mcp`, or `/mcp pause|resume|retry NAME`.");
  }
  await room.cancellable((signal) => untilAborted(mcp[action](name), signal));
  room.print(
    ...statusLines(
      mcp.status().filter(({ server }) => server === name),
      room.terminal,
    ),
  );
}
