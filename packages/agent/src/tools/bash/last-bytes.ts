/** The last bytes of a stream; those before them are only counted. */
export class LastBytes {
  readonly #ring: Buffer;
  #total = 0;

  /** @param limit bytes that are kept */
  constructor(limit: number) {
    this.#ring = Buffer.alloc(limit);
  }

  /** How many bytes were let go of. */
  get leftOut(): number {
    return Math.max(0, this.#total - this.#ring.length);
  }

  push(chunk: Uint8Array): void {
    const { length } = this.#ring;
    const kept = chunk.subarray(-length);
    const start = (this.#total + chunk.length - kept.length) % length;
    const first = kept.subarray(0, length - start);
    this.#ring.set(first, start);
    this.#ring.set(kept.subarray(first.length), 0);
    this.#total += chunk.length;
  }

  bytes(): Buffer {
    if (this.leftOut === 0) return this.#ring.subarray(0, this.#total);
    const start = this.#total % this.#ring.length;
    return Buffer.concat([this.#ring.subarray(start), this.#ring.subarray(0, start)]);
  }
}
