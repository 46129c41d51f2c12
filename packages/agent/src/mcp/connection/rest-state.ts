import type { ResolvedMcpServer } from "../config/resolved-config.ts";
import type { McpState } from "../mcp-status.ts";

export interface Rest {
  readonly state: McpState;
  /** With the remedy; absent: somebody wanted it so. */
  readonly reason?: string;
  /** For calls that were under way. */
  readonly why: string;
}

/** Why a server is not to run. Undefined: it is. */
export function restOf(
  { name, missing, enabled, disabledReason, definition, fault }: ResolvedMcpServer,
  paused: boolean,
): Rest | undefined {
  // What a workspace says that is not trusted does not count, whatever it names.
  if (disabledReason !== undefined) {
    return { state: "disabled", reason: disabledReason, why: disabledReason };
  }
  if (missing) {
    const reason = `The workspace enables it, and nothing on this machine defines it. Define it with \`acumen mcp add ${name}\`, or disable it.`;
    return { state: "missing", reason, why: "its definition was removed" };
  }
  if (!enabled) return { state: "disabled", why: "it was disabled" };
  if (paused) return { state: "paused", why: "it was paused" };
  if (definition !== undefined) return undefined;
  const reason = fault ?? "Its definition cannot be used.";
  return { state: "error", reason, why: reason };
}
