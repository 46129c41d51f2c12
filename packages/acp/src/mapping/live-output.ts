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
  readonly #due: ((callId: string, text: string) => void) | undefined;
  readonly #outputs = new Map<string, Output>();

  /** @param due told of output that had to wait and that nothing followed; absent: it is shown with what follows */
  constructor(
    due: ((callId: string, text: string) => void) | undefined,
    clock: Pick<Clock, "monotonicMs"> = systemClock,
  ) {
    this.#due = due;
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
    if (waitMs <= 0) return this.#shown(output);
    if (this.#due !== undefined) {
      output.timer ??= setTimeout(() => this.#due?.(callId, this.#shown(output)), waitMs).unref();
    }
    return undefined;
  }

  /** The call has ended: nothing of it is shown any more. */
  end(callId: string): void {
    clearTimeout(this.#outputs.get(callId)?.timer);
    this.#outputs.delete(callId);
  }

  clear(): void {
    for (const callId of this.#outputs.keys()) this.end(callId);
  }

  #shown(output: Output): string {
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
