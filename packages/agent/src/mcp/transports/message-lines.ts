const LINE_END = 0x0a;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** Cuts what a server writes into lines, whatever its chunks are. */
export class MessageLines {
  readonly #maxBytes: number;
  readonly #onLine: (line: string) => void;
  #held: Buffer[] = [];
  #heldBytes = 0;

  /** @param onLine gets each line that is not blank, without its end and without a byte order mark */
  constructor(maxBytes: number, onLine: (line: string) => void) {
    this.#maxBytes = maxBytes;
    this.#onLine = onLine;
  }

  /** @returns false: a line is longer than allowed, and nothing of it is kept */
  push(chunk: Buffer): boolean {
    let from = 0;
    for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, from)) {
      if (!this.#hold(chunk.subarray(from, end))) return false;
      this.#emit();
      from = end + 1;
    }
    return from === chunk.length || this.#hold(chunk.subarray(from));
  }

  /** A last line may have no end. */
  end(): void {
    this.#emit();
  }

  #hold(part: Buffer): boolean {
    this.#heldBytes += part.length;
    if (this.#heldBytes <= this.#maxBytes) {
      this.#held.push(part);
      return true;
    }
    this.#held = [];
    this.#heldBytes = 0;
    return false;
  }

  #emit(): void {
    const bytes = this.#held.length === 1 ? this.#held[0] : Buffer.concat(this.#held);
    this.#held = [];
    this.#heldBytes = 0;
    if (bytes === undefined) return;
    const marked = bytes.subarray(0, BOM.length).equals(BOM);
    const line = bytes.toString("utf8", marked ? BOM.length : 0).trim();
    if (line !== "") this.#onLine(line);
  }
}
