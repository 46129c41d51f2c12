import { GrowingBytes } from "./growing-bytes.ts";

const LINE_END = 0x0a;

/** Cuts what a server writes into lines, whatever its chunks are. */
export class MessageLines {
  readonly #maxBytes: number;
  readonly #onLine: (line: string) => void;
  /** Of a line without an end. */
  readonly #held = new GrowingBytes();

  /** @param onLine gets each line that is not blank, without its end and without a byte order mark */
  constructor(maxBytes: number, onLine: (line: string) => void) {
    this.#maxBytes = maxBytes;
    this.#onLine = onLine;
  }

  /** @returns false: a line is longer than allowed, and nothing of it is kept */
  push(chunk: Buffer): boolean {
    let from = 0;
    for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, from)) {
      const part = chunk.subarray(from, end);
      if (!this.#fits(part)) return false;
      if (this.#held.length === 0) this.#emit(part);
      else {
        this.#held.append(part);
        this.#emit(this.#held.take());
      }
      from = end + 1;
    }
    const rest = chunk.subarray(from);
    if (!this.#fits(rest)) return false;
    if (rest.length > 0) this.#held.append(rest);
    return true;
  }

  /** A last line may have no end. */
  end(): void {
    this.#emit(this.#held.take());
  }

  #fits(part: Buffer): boolean {
    if (this.#held.length + part.length <= this.#maxBytes) return true;
    this.#held.take();
    return false;
  }

  #emit(bytes: Buffer): void {
    // A byte order mark counts as white space.
    const line = bytes.toString("utf8").trim();
    if (line !== "") this.#onLine(line);
  }
}
