const NEWLINE = 0x0a;

/**
 * Passes on whole lines alone. The SDK joins and searches its buffer anew with every chunk, which takes minutes for a line
 * of 60 MB; here each byte is looked at once. A line over the limit is skipped to its end and told.
 */
export class LineAssembler {
  readonly #maxBytes: number;
  readonly #onTooLong: () => void;
  #parts: Buffer[] = [];
  #bytes = 0;
  #skipping = false;

  constructor(maxBytes: number, onTooLong: () => void) {
    this.#maxBytes = maxBytes;
    this.#onTooLong = onTooLong;
  }

  /** Everything up to the last line end that has come, line ends included; `undefined` when there is none yet. */
  push(chunk: Buffer): Buffer | undefined {
    let rest = chunk;
    if (this.#skipping) {
      const end = rest.indexOf(NEWLINE);
      if (end < 0) return undefined;
      this.#skipping = false;
      rest = rest.subarray(end + 1);
    }
    const last = rest.lastIndexOf(NEWLINE);
    if (last < 0) {
      this.#keep(rest);
      return undefined;
    }
    const whole = Buffer.concat([...this.#parts, rest.subarray(0, last + 1)]);
    this.#parts = [];
    this.#bytes = 0;
    this.#keep(rest.subarray(last + 1));
    return whole;
  }

  #keep(part: Buffer): void {
    if (part.length === 0) return;
    this.#bytes += part.length;
    this.#parts.push(part);
    if (this.#bytes <= this.#maxBytes) return;
    this.#parts = [];
    this.#bytes = 0;
    this.#skipping = true;
    this.#onTooLong();
  }
}
