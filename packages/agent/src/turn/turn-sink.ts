import type { SessionEvent } from "../events/session-event.ts";

/** What is shown while it happens and never stored: the whole message or result comes as an event. */
export type TransientUpdate =
  | {
      readonly type: "delta";
      readonly turn_id: string;
      readonly message_id: string;
      readonly kind: "assistant" | "reasoning";
      readonly text: string;
    }
  | { readonly type: "tool_started"; readonly turn_id: string; readonly call_id: string }
  /** Output of a call that is still running, in pieces, redacted. */
  | {
      readonly type: "tool_output";
      readonly turn_id: string;
      readonly call_id: string;
      readonly text: string;
    }
  | {
      readonly type: "model_retry";
      readonly turn_id: string;
      readonly attempt: number;
      readonly delay_ms: number;
      readonly message: string;
    };

/** Who watches a turn. A promise that is returned is waited for, so a slow reader slows the turn instead of filling memory. */
export interface TurnSink {
  /** Events of the turn in order, each after it was stored. */
  event(event: SessionEvent): void | Promise<void>;
  update?(update: TransientUpdate): void | Promise<void>;
}

export const STOP_REASONS = [
  "end_turn",
  "max_tokens",
  "max_turn_requests",
  "refusal",
  "cancelled",
] as const;
export type StopReason = (typeof STOP_REASONS)[number];
