export interface LogPart {
  readonly text: string;
  /** Characters from the beginning of the log, of the part's first one. */
  readonly from: number;
  readonly to: number;
  /** Where the log begins by now: what was before is gone. */
  readonly begin: number;
  readonly end: number;
}

/** The last part of a text that goes on and on, addressed by its distance from the very beginning. */
export class RingLog {
  readonly #capacity: number;
  #text = "";
  #begin = 0;

  /** @param capacity characters that are kept at least */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  append(text: string): void {
    this.#text += text;
    // Twice the size, so that long texts are moved rarely.
    if (this.#text.length > 2 * this.#capacity) {
      const dropped = this.#text.length - this.#capacity;
      // Through bytes: a slice would keep the whole text alive.
      this.#text = Buffer.from(this.#text.slice(dropped), "utf16le").toString("utf16le");
      this.#begin += dropped;
    }
  }

  /** @param offset from the very beginning; undefined: the last `limit` characters */
  read(offset: number | undefined, limit: number): LogPart {
    const end = this.#begin + this.#text.length;
    const wanted = offset ?? Math.max(0, end - limit);
    const from = Math.min(Math.max(wanted, this.#begin), end);
    const to = Math.min(from + limit, end);
    const text = this.#text.slice(from - this.#begin, to - this.#begin);
    return { text, from, to, begin: this.#begin, end };
  }
}
