/** What the model last saw of each file, so that it does not change one that somebody else has changed since. */
export class ReadLedger {
  readonly #hashes = new Map<string, string>();

  /** @param path absolute real path */
  record(path: string, hash: string): void {
    this.#hashes.set(path, hash);
  }

  forget(path: string): void {
    this.#hashes.delete(path);
  }

  /** Undefined: not read in this session since it started or was opened. */
  hashOf(path: string): string | undefined {
    return this.#hashes.get(path);
  }

  /** True when the model saw the file and it is another one now. */
  isStale(path: string, hash: string): boolean {
    const seen = this.#hashes.get(path);
    return seen !== undefined && seen !== hash;
  }
}
