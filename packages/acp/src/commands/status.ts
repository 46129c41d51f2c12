import type { McpServerStatus } from "@acumen/agent";
import { bullets, count, type Item } from "./answer-text.ts";
import type { CommandRoom, HostCommand } from "./host-command.ts";
import { serverItem } from "./server-item.ts";

export const statusCommand: HostCommand = {
  name: "status",
  description: "Show model, mode, tokens, cost and MCP servers",
  run: ({ session, say }) => {
    const { model, thoughtLevel, mode, effectiveMode, contextTokens, contextWindow, ...used } =
      session.status();
    const thinks = thoughtLevel === undefined ? "" : `, thought level ${thoughtLevel}`;
    const window = contextWindow === null ? "" : ` of ${contextWindow}`;
    const cost = used.cost === undefined ? "" : `, about ${dollars(used.cost)}`;
    const acts = mode === effectiveMode ? "" : `, acts as ${effectiveMode}`;
    const trust = session.trusted ? "trusted" : "not trusted";
    const servers = (session.mcp?.status() ?? []).filter(({ enabled }) => enabled);
    return bullets([
      `Session: ${say.code(session.id)}`,
      `Folder: ${say.code(session.workspace.cwd)} (${trust})`,
      `Model: ${say.code(model)}${thinks}`,
      `Mode: ${mode}${acts}`,
      `Context: ${contextTokens}${window} tokens`,
      `Used: ${used.inputTokens} input and ${used.outputTokens} output tokens${cost}`,
      `Tools: ${session.tools().length}`,
      `Answered for good: ${count(session.remembered.list().length, "question")}`,
      ...serversItem(servers, say),
    ]);
  },
};

/** Only what does not work is named; `/mcp` has them all. */
function serversItem(servers: readonly McpServerStatus[], say: CommandRoom["say"]): Item[] {
  if (servers.length === 0) return [];
  const others = servers.filter(({ state }) => state !== "connected");
  return [
    [
      `MCP servers: ${servers.length - others.length} of ${servers.length} connected`,
      others.map((server) => serverItem(server, say)[0]),
    ],
  ];
}

function dollars(amount: number): string {
  return `$${amount.toFixed(amount < 0.1 ? 4 : 2)}`;
}
