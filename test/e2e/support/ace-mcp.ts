import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Command } from "@acumen/testkit";
import { type WireClient, startWireClient } from "./wire-client.ts";

/** Root of the checkout, with a slash at its end. */
export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
export const ACE_MCP_BIN = `${ROOT}packages/ace/bin/ace-mcp.js`;

/** The six tools in the order of publication. */
export const TOOLS = [
  "ace.ask",
  "ace.learn.sample",
  "ace.learn.feedback",
  "ace.skillbook.get",
  "ace.skillbook.save",
  "ace.skillbook.load",
] as const;

/** The built server as users run it; these tests are about the product, so they need the build and never the sources. */
export function aceMcpCommand(args: readonly string[] = []): Command {
  if (!existsSync(`${ROOT}packages/ace/dist/integrations/mcp/bin.js`)) {
    throw new Error("ace-mcp is not built: run `npm run build` (or `npm run test:slow`) first");
  }
  return { command: process.execPath, args: [ACE_MCP_BIN, ...args] };
}

export interface ServerSettings {
  readonly root?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Environment of a server that works offline on the embedded model. */
export function serverEnvironment(settings: ServerSettings = {}): Record<string, string> {
  return {
    ACE_MCP_DEFAULT_MODEL: "builtin/recall",
    ACE_MCP_LOG_LEVEL: "WARNING",
    ...(settings.root !== undefined && { ACE_MCP_SKILLBOOK_ROOT: settings.root }),
    ...settings.env,
  };
}

/** Starts `ace-mcp` and shakes hands; `await using` ends it. */
export async function startAceMcp(settings: ServerSettings = {}): Promise<WireClient> {
  const client = startWireClient(aceMcpCommand(), {
    env: serverEnvironment(settings),
    ...(settings.cwd !== undefined && { cwd: settings.cwd }),
  });
  await client.initialize();
  return client;
}

/** Samples that `builtin/recall` can learn: a topic word decides the answer. `from` numbers them apart. */
export function samplesOf(
  count: number,
  from = 0,
): { question: string; ground_truth: string; context: string }[] {
  const topics = [
    ["invoice", "billing"],
    ["password", "accounts"],
    ["parcel", "delivery"],
    ["crash", "engineering"],
  ] as const;
  return Array.from({ length: count }, (_, index) => {
    const number = from + index;
    const [word, team] = topics[number % topics.length] ?? topics[0];
    return {
      question: `Ticket ${number}: my ${word} number ${number * 37} has a problem since day ${number}. Which team?`,
      context: "Teams: billing, accounts, delivery, engineering",
      ground_truth: team,
    };
  });
}
