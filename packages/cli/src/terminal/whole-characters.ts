/** Text that comes in pieces, of which one may end in the middle of a character: that half waits for the next piece. */
export class WholeCharacters {
  #half = "";

  /** What can be shown by now. */
  push(text: string): string {
    const joined = this.#half + text;
    const last = joined.charCodeAt(joined.length - 1);
    const isHalf = last >= 0xd800 && last <= 0xdbff;
    this.#half = isHalf ? joined.slice(-1) : "";
    return isHalf ? joined.slice(0, -1) : joined;
  }

  /** The next piece begins another text: a half that nothing completes is no character. */
  clear(): void {
    this.#half = "";
  }
}
