/** Words of each list as a set of 64 bits: a bit that is missing tells at once that a list lacks a word of another. */
export class WordMasks {
  readonly #masks: Int32Array;

  /** @param holders for each word, which lists hold it */
  constructor(
    lists: readonly { readonly words: readonly number[] }[],
    holders: ReadonlyMap<number, readonly number[]>,
  ) {
    // Words that all share tell nothing. The others get bits by frequency, so that the most shared ones, which would let most pairs
    // through, have a bit of their own.
    const telling = [...holders].filter(([, list]) => list.length < lists.length);
    telling.sort((a, b) => b[1].length - a[1].length || a[0] - b[0]);
    const bits = new Map(telling.map(([word], rank) => [word, rank % 64]));
    this.#masks = new Int32Array(lists.length * 2);
    lists.forEach(({ words }, i) => {
      for (const word of words) {
        const bit = bits.get(word);
        if (bit !== undefined) this.#set(2 * i + (bit >>> 5), bit & 31);
      }
    });
  }

  /** False when list `larger` certainly lacks a word of list `smaller`. */
  mayContain(larger: number, smaller: number): boolean {
    return this.#covers(2 * larger, 2 * smaller) && this.#covers(2 * larger + 1, 2 * smaller + 1);
  }

  #covers(larger: number, smaller: number): boolean {
    return ((this.#masks[smaller] ?? 0) & ~(this.#masks[larger] ?? 0)) === 0;
  }

  #set(at: number, bit: number): void {
    this.#masks[at] = (this.#masks[at] ?? 0) | (1 << bit);
  }
}
