import { StringDecoder } from "node:string_decoder";
import type { Redactor } from "../../redaction/redactor.ts";

/** Kept in front of what is shown: a secret whose beginning is gone could not be found any more. */
const BEFORE_BYTES = 32 * 1024;
/** Small pieces that are put together at once. */
const MAX_PIECES = 16;

/** The end of a text that goes on and on, without secrets. */
export class ByteTail {
  readonly #capacity: number;
  readonly #redact: Redactor;
  #pieces: Buffer[] = [];

  /** @param capacity of what is shown, bytes */
  constructor(capacity: number, redact: Redactor) {
    this.#capacity = capacity;
    this.#redact = redact;
  }

  append(chunk: Uint8Array): void {
    this.#pieces.push(Buffer.from(chunk.subarray(-this.#kept)));
    if (this.#pieces.length > MAX_PIECES) this.#pieces = [this.#bytes()];
  }

  /** Whole characters. */
  text(): string {
    const bytes = this.#bytes();
    this.#pieces = [bytes];
    const from = wholeFrom(bytes, Math.max(0, bytes.length - this.#capacity));
    const stream = this.#redact.stream();
    stream.push(bytes.toString("utf8", 0, from));
    const shown = new StringDecoder("utf8").write(bytes.subarray(from));
    const safe = Buffer.from(stream.push(shown) + stream.end());
    // The stream may have kept back the end of what was before.
    return safe.toString("utf8", wholeFrom(safe, Math.max(0, safe.length - this.#capacity)));
  }

  get #kept(): number {
    return this.#capacity + BEFORE_BYTES;
  }

  #bytes(): Buffer {
    return Buffer.from(Buffer.concat(this.#pieces).subarray(-this.#kept));
  }
}

/** Without what is left of a character whose beginning is gone. */
function wholeFrom(bytes: Buffer, from: number): number {
  let start = from;
  while (start < from + 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return start;
}
