import { wholeStart } from "./wire-text.ts";

/** Messages that are shown in pieces, of which one may end in the middle of a character: that half waits for the next piece. */
export class StreamedMessages {
  /** By message id. */
  readonly #halves = new Map<string, string>();

  /** What can be shown by now. */
  push(id: string, text: string): string {
    const joined = `${this.#halves.get(id) ?? ""}${text}`;
    const shown = wholeStart(joined);
    this.#halves.set(id, joined.slice(shown.length));
    return shown;
  }

  /** What was not shown of a complete message; undefined: nothing of it was. Answered once. */
  take(id: string): string | undefined {
    const rest = this.#halves.get(id);
    this.#halves.delete(id);
    return rest;
  }

  /** Messages that were begun and never completed come no more. */
  clear(): void {
    this.#halves.clear();
  }
}
