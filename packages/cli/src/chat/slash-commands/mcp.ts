import type { McpRuntimeManager } from "@acumen/agent";
import { untilAborted } from "@acumen/core";
import { cliError } from "../../errors.ts";
import { fileLines, problemLines, statusLines } from "../../mcp/status-lines.ts";
import { refuseAgent } from "../../refuse-agent.ts";
import { printable } from "../../terminal/printable.ts";
import type { ChatRoom, SlashCommand } from "./slash-command.ts";

/** Of this session alone. */
const ACTIONS = ["pause", "resume", "retry"] as const;
/** Of the workspace. */
const CHOICES = ["enable", "disable"] as const;

export const mcpCommand: SlashCommand = {
  name: "mcp",
  usage: "[ACTION NAME]",
  summary: "MCP servers: list, pause, resume, retry, enable, …",
  words: [...ACTIONS, ...CHOICES],
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
  const { problems } = mcp;
  print(
    ...problemLines(problems, terminal),
    ...(servers.length === 0 && problems.length === 0
      ? ["No MCP server is defined. `acumen mcp add` in another terminal defines one."]
      : statusLines(servers, terminal)),
    ...fileLines(mcp.files, terminal),
  );
}

async function act(room: ChatRoom, mcp: McpRuntimeManager, words: string): Promise<void> {
  const [, word, name = ""] = /^(\S+)(?:\s+(\S+))?$/.exec(words) ?? [];
  const action = ACTIONS.find((one) => one === word);
  const choice = CHOICES.find((one) => one === word);
  if ((action ?? choice) === undefined || name === "") {
    throw cliError("CLI_USAGE", "Say `/mcp`, or `/mcp pause|resume|retry|enable|disable NAME`.");
  }
  using _answering = room.answering(name);
  await room.cancellable(async (signal) => {
    if (choice !== undefined) await choose(room, choice, name);
    if (choice === "enable") await untilAborted(mcp.resume(name), signal);
    else if (action === undefined) await mcp.reload();
    else await untilAborted(mcp[action](name), signal);
  });
  room.print(
    ...statusLines(
      mcp.status().filter(({ server }) => server === name),
      room.terminal,
    ),
  );
}

/** What a workspace enables counts only with trust, which is a question of its own. */
async function choose(
  { opened, session, print }: ChatRoom,
  choice: (typeof CHOICES)[number],
  name: string,
): Promise<void> {
  const { cwd } = session.workspace;
  if (choice === "disable") {
    const { changed } = await opened.mcp.disable(cwd, name);
    if (!changed) print(`${printable(name)} was not enabled here.`);
    return;
  }
  refuseAgent(opened.loaded.variables, "/mcp enable");
  const { state } = await opened.trust.check(cwd);
  if (state !== "trusted") {
    throw cliError(
      "CLI_USAGE",
      "Servers are enabled in a folder that is trusted. Say /trust first, and look at what it brings.",
    );
  }
  await opened.mcp.enable(cwd, name);
}
