import type { McpServerStatus } from "@acumen/agent";
import { expect } from "vitest";
import { untilNoneIn } from "./agent-cli.ts";
import {
  type CallOutcome,
  calling,
  type McpSession,
  misbehaving,
  openMcpSession,
} from "./mcp-session.ts";

/** The contract says two seconds; a busy machine gets some more. */
const CLOSED_WITHIN_MS = 4_000;

export interface Played {
  /** Of the bad server, after the turn. */
  readonly status: McpServerStatus;
  /** Of the call of its tool `echo`. */
  readonly echo: CallOutcome | undefined;
  readonly it: McpSession;
}

export interface PlayOptions {
  /** What its `echo` is called with. */
  readonly input?: unknown;
  readonly wait?: number | "settled";
  /** While the session is still open. */
  readonly look?: (played: Played) => Promise<void> | void;
}

/**
 * One turn beside a healthy server: both servers' tools are called at once, then the healthy one's again. The turn ends well whatever
 * the bad server does, and nothing of either is left two seconds after the session was closed.
 */
export async function play(
  definition: Readonly<Record<string, unknown>>,
  { input = { text: "hello" }, look, wait }: PlayOptions = {},
): Promise<Played> {
  await using it = await openMcpSession({
    servers: { healthy: misbehaving("well", { prefix: "good_" }), bad: definition },
    steps: [
      calling(["good_echo", { text: "one" }], ["echo", input]),
      calling(["good_echo", { text: "two" }]),
      { text: "Done." },
    ],
    ...(wait !== undefined && { wait }),
  });
  const result = await it.prompt();
  expect(result).toMatchObject({ stopReason: "end_turn", text: "Done." });
  const healthy = it.outcomes().filter(({ exposedName }) => exposedName === "good_echo");
  expect(healthy.map(({ status, text }) => [status, text])).toEqual([
    ["completed", "one"],
    ["completed", "two"],
  ]);
  const status = it.statusOf("bad");
  if (status === undefined) throw new Error("the bad server has no status");
  const played = { status, echo: it.outcomeOf("echo"), it };
  await look?.(played);
  expect(await it.close()).toBeLessThan(CLOSED_WITHIN_MS);
  await untilNoneIn(it.cwd, CLOSED_WITHIN_MS);
  return played;
}
