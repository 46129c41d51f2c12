import type { Usage } from "@acumen/models";
import type { EventPayload } from "../events/session-event.ts";
import type { StopReason } from "./turn-sink.ts";

/** How a turn ended. Failures of the model or the store are thrown instead. */
export interface TurnResult {
  readonly stopReason: StopReason;
  /** Tokens of all model calls of the turn. */
  readonly usage: Usage;
  readonly turnId: string;
  /** What the model said last, without its thoughts; empty when it said nothing at the end. */
  readonly text: string;
  /** Work cannot go on without a person. */
  readonly blocked?: EventPayload<"BLOCKED">;
  /** A limit ended the turn. */
  readonly autoStop?: EventPayload<"AUTO_STOP">;
}
