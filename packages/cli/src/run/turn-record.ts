import type { SessionEvent, TurnResult } from "@acumen/agent";
import type { AcumenError } from "@acumen/core";
import { printable } from "../terminal/printable.ts";

interface UsageRecord {
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly output_tokens: number;
  /** USD, where prices are known. */
  readonly cost?: number;
}

/** What is known of a turn at any moment, so that its last line can be written however it ends. */
export class TurnRecord {
  #sessionId: string | null = null;
  #text = "";
  #usage: UsageRecord = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0 };

  get usage(): UsageRecord {
    return this.#usage;
  }

  begin(sessionId: string): void {
    this.#sessionId = sessionId;
  }

  /** The session is not kept. */
  forget(): void {
    this.#sessionId = null;
  }

  event({ type, payload }: SessionEvent): void {
    if (type === "ASSISTANT_MESSAGE" && payload.kind === "assistant") this.#text = payload.text;
    if (type !== "USAGE") return;
    const { input_tokens: input, cached_input_tokens: cached, output_tokens: output } = payload;
    const before = this.#usage;
    const cost = payload.cost === undefined ? before.cost : (before.cost ?? 0) + payload.cost;
    this.#usage = {
      input_tokens: before.input_tokens + input,
      cached_input_tokens: before.cached_input_tokens + cached,
      output_tokens: before.output_tokens + output,
      ...(cost !== undefined && { cost }),
    };
  }

  /** The last line of a turn that ended. */
  result({ stopReason, text, turnId, blocked, autoStop }: TurnResult): object {
    return {
      type: "result",
      session_id: this.#sessionId,
      turn_id: turnId,
      stop_reason: stopReason,
      ...(blocked !== undefined && { blocked }),
      ...(autoStop !== undefined && { auto_stop: autoStop }),
      text,
      usage: this.#usage,
    };
  }

  /** The last line of a turn that failed, with what there was until then. */
  failure({ code, message, details }: AcumenError): object {
    return {
      type: "result",
      session_id: this.#sessionId,
      error: { code, message: printable(message), details },
      text: this.#text,
      usage: this.#usage,
    };
  }
}
