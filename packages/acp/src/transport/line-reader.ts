const LINE_FEED = 0x0a;

/** Cuts bytes into lines. Each byte is looked at once, however many chunks a line comes in. */
export class LineReader {
  readonly #maxBytes: number;
  readonly #onLine: (line: string, bytes: number) => void;
  readonly #onTooLong: () => void;
  #parts: Uint8Array[] = [];
  #bytes = 0;
  #skipping = false;

  /** @param handlers `tooLong` is called once for each line of more bytes, which is skipped to its end */
  constructor(
    maxBytes: number,
    handlers: {
      readonly line: (line: string, bytes: number) => void;
      readonly tooLong: () => void;
    },
  ) {
    this.#maxBytes = maxBytes;
    this.#onLine = handlers.line;
    this.#onTooLong = handlers.tooLong;
  }

  push(chunk: Uint8Array): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, start);
      if (end === -1) break;
      this.#keep(chunk.subarray(start, end));
      this.end();
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** What came since the last line end is a line, too. */
  end(): void {
    const { length } = this.#parts;
    const bytes = this.#bytes;
    if (length > 0) {
      const text = Buffer.concat(this.#parts, bytes).toString("utf8");
      this.#parts = [];
      this.#bytes = 0;
      this.#onLine(text, bytes);
    }
    this.#skipping = false;
  }

  #keep(part: Uint8Array): void {
    if (this.#skipping || part.length === 0) return;
    this.#parts.push(part);
    this.#bytes += part.length;
    if (this.#bytes <= this.#maxBytes) return;
    this.#parts = [];
    this.#bytes = 0;
    this.#skipping = true;
    this.#onTooLong();
  }
}
