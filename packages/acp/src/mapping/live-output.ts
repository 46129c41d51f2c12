import { type Clock, systemClock } from "@acumen/core";

/** Characters of the output that a running call shows: the last ones. */
const MAX_SHOWN_CHARS = 8_000;
/** Each update holds all that is shown so far. */
const INTERVAL_MS = 200;

interface Output {
  text: string;
  isCut: boolean;
  shownAtMs: number;
  timer: NodeJS.Timeout | undefined;
}

/** Output of running calls, bounded and not too often. */
export class LiveOutput {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #onDue: (() => void) | undefined;
  readonly #outputs = new Map<string, Output>();
  /** Calls whose output has waited long enough. */
  readonly #due = new Set<string>();

  /** @param onDue told of output that had to wait and that nothing followed; absent: it is shown with what follows */
  constructor(onDue: (() => void) | undefined, clock: Pick<Clock, "monotonicMs"> = systemClock) {
    this.#onDue = onDue;
    this.#clock = clock;
  }

  /** What is shown so far; undefined: it has to wait. */
  add(callId: string, text: string): string | undefined {
    const output = this.#outputs.get(callId) ?? {
      text: "",
      isCut: false,
      shownAtMs: -Infinity,
      timer: undefined,
    };
    this.#outputs.set(callId, output);
    const joined = output.text + text;
    output.isCut ||= joined.length > MAX_SHOWN_CHARS;
    output.text = wholeEnd(joined.slice(-MAX_SHOWN_CHARS));
    const waitMs = output.shownAtMs + INTERVAL_MS - this.#clock.monotonicMs();
    if (waitMs <= 0) return this.#shown(callId, output);
    if (this.#onDue !== undefined) {
      output.timer ??= setTimeout(() => this.#tellDue(callId), waitMs).unref();
    }
    return undefined;
  }

  /** What had to wait and is due by now, of calls that still run. */
  takeDue(): readonly { readonly callId: string; readonly text: string }[] {
    return [...this.#due].flatMap((callId) => {
      const output = this.#outputs.get(callId);
      return output === undefined ? [] : [{ callId, text: this.#shown(callId, output) }];
    });
  }

  /** The call has ended: nothing of it is shown any more. */
  end(callId: string): void {
    clearTimeout(this.#outputs.get(callId)?.timer);
    this.#outputs.delete(callId);
    this.#due.delete(callId);
  }

  #tellDue(callId: string): void {
    this.#due.add(callId);
    this.#onDue?.();
  }

  #shown(callId: string, output: Output): string {
    this.#due.delete(callId);
    clearTimeout(output.timer);
    output.timer = undefined;
    output.shownAtMs = this.#clock.monotonicMs();
    return output.isCut ? `…${output.text}` : output.text;
  }
}

/** Without the second half of a character at its beginning. */
function wholeEnd(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]/, "");
}
