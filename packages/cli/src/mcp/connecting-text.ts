import type { CodingSession } from "@acumen/agent";
import { shortened } from "../terminal/printable.ts";

const NAMES_LENGTH = 48;

/** Which servers a first prompt waits for; undefined when it waits for none. */
export async function connectingText({
  mcp,
}: Pick<CodingSession, "mcp">): Promise<string | undefined> {
  // A session that was opened just now may not know its servers yet.
  await mcp?.reload();
  const names = (mcp?.status() ?? [])
    .filter(({ state }) => state === "connecting")
    .map(({ server }) => server);
  if (names.length === 0) return undefined;
  return `Waiting for MCP servers: ${shortened(names.join(", "), NAMES_LENGTH)}.`;
}
