import type { StopReason, TurnResult } from "@acumen/agent";
import { EXIT_CODES } from "../exit-code.ts";

/** Without the block that may come on top. A cancelled turn has its code from the signal that cancelled it. */
const BY_STOP_REASON: Readonly<Record<StopReason, number>> = {
  end_turn: EXIT_CODES.done,
  max_tokens: EXIT_CODES.limit,
  max_turn_requests: EXIT_CODES.limit,
  refusal: EXIT_CODES.refused,
  cancelled: EXIT_CODES.failed,
};

/** The exit code of a turn that ended. A full context is a limit, every other block needs a person. */
export function turnExitCode({
  stopReason,
  blocked,
}: Pick<TurnResult, "stopReason" | "blocked">): number {
  if (blocked === undefined) return BY_STOP_REASON[stopReason];
  if (blocked.reason === "context_full") return EXIT_CODES.limit;
  return blocked.reason === "no_credentials" ? EXIT_CODES.usage : EXIT_CODES.refused;
}
