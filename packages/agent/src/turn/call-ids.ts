import type { SessionEvent } from "../events/session-event.ts";
import type { Redactor } from "../redaction/redactor.ts";

/**
 * The ids of a session's calls: a result finds its call by the id alone, and some services use the same ids in every answer,
 * or twice in one.
 */
export class CallIds {
  readonly #used: Set<string>;
  readonly #redact: Redactor;

  /** @param redact as for the log: ids that become the same there are the same */
  constructor(events: readonly SessionEvent[], redact: Redactor) {
    this.#used = new Set(
      events.flatMap(({ type, payload }) => (type === "TOOL_CALL" ? [payload.call_id] : [])),
    );
    this.#redact = redact;
  }

  /** The id as the model wrote it, or another one when a call of the session has it already. */
  take(written: string): string {
    const id = this.#redact(written);
    const own = id === "" || this.#used.has(id) ? this.#unused() : id;
    this.#used.add(own);
    return own;
  }

  /** Nine letters and digits: the only form that all services take. */
  #unused(): string {
    for (let number = this.#used.size + 1; ; number += 1) {
      const id = `c${String(number).padStart(8, "0")}`;
      if (!this.#used.has(id)) return id;
    }
  }
}
