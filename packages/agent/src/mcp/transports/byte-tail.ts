import { StringDecoder } from "node:string_decoder";

/** The end of a text that goes on and on. */
export class ByteTail {
  readonly #capacity: number;
  #bytes: Buffer = Buffer.alloc(0);

  /** @param capacity bytes */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  append(chunk: Uint8Array): void {
    const last = chunk.subarray(-this.#capacity);
    const kept = this.#bytes.subarray(
      Math.max(0, this.#bytes.length + last.length - this.#capacity),
    );
    this.#bytes = Buffer.concat([kept, last]);
  }

  /** Whole characters. */
  text(): string {
    let start = 0;
    // What is left of a character whose beginning is gone.
    while (start < 3 && ((this.#bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
    return new StringDecoder("utf8").write(this.#bytes.subarray(start));
  }
}
