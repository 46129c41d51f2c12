import type { McpServerStatus, StopReason } from "@acumen/agent";

/** One server at one moment. */
export type ServerState = Pick<McpServerStatus, "server" | "state" | "tool_count">;

/** What the third act found out. */
export interface ServersResult {
  /** What `acumen mcp add` said of the server. */
  readonly added: ServerState | undefined;
  /** States of the session's one server: at the start, paused, resumed. */
  readonly states: readonly ServerState[];
  /** As MCP_STATUS events tell it, in order. */
  readonly changes: readonly string[];
  readonly stopReasons: readonly StopReason[];
  /** Finished calls, by where the tool comes from. */
  readonly calls: { readonly own: number; readonly server: number };
  /** Calls of a tool that was not there, because its server was paused. */
  readonly refused: number;
  /** Calls that the tour was asked about. */
  readonly approved: number;
}

const CHANGES = ["connecting", "connected", "paused", "connecting", "connected"];

/** Every check of the third act that failed, as sentences. */
export function serversFailures(result: ServersResult): readonly string[] {
  const { added, states, changes, stopReasons, calls, refused, approved } = result;
  const [first, paused, resumed] = states;
  const checks: readonly (readonly [boolean, string])[] = [
    [isConnected(added), `acumen mcp add found ${told(added)}`],
    [isConnected(first), `in the session there is ${told(first)}`],
    [paused?.state === "paused" && paused.tool_count === 0, `after the pause: ${told(paused)}`],
    [
      isConnected(resumed) && resumed?.tool_count === first?.tool_count,
      `after it was resumed: ${told(resumed)}`,
    ],
    [changes.join() === CHANGES.join(), `the states went ${changes.join(", ")}`],
    [
      stopReasons.join() === "end_turn,end_turn,end_turn",
      `the turns ended with ${stopReasons.join(", ")}`,
    ],
    [
      calls.server === 3 && calls.own === 2,
      `${calls.server} calls of the server and ${calls.own} of built-in tools were finished`,
    ],
    [refused === 1, `${refused} calls met a server that was paused`],
    [approved === 2, `${approved} calls were asked for`],
  ];
  return checks.flatMap(([passed, text]) => (passed ? [] : [text]));
}

function isConnected(state: ServerState | undefined): boolean {
  return state?.state === "connected" && state.tool_count > 0;
}

function told(state: ServerState | undefined): string {
  if (state === undefined) return "no server";
  return `the server ${state.server} ${state.state} with ${state.tool_count} tools`;
}
