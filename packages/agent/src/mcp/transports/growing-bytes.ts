const FIRST_BYTES = 64 * 1024;

/** Bytes that come in pieces of any size: held in one place, so that many small ones cost no more than a large one. */
export class GrowingBytes {
  #room: Buffer = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(part: Uint8Array): void {
    const needed = this.#length + part.length;
    if (needed > this.#room.length) {
      const room = Buffer.allocUnsafe(Math.max(needed, 2 * this.#room.length, FIRST_BYTES));
      this.#room.copy(room, 0, 0, this.#length);
      this.#room = room;
    }
    this.#room.set(part, this.#length);
    this.#length = needed;
  }

  /** All of them; nothing is held afterwards. */
  take(): Buffer {
    const bytes = this.#room.subarray(0, this.#length);
    this.#room = Buffer.alloc(0);
    this.#length = 0;
    return bytes;
  }
}
