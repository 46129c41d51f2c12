import { Mutex } from "@acumen/core";

/** One lock for each key; keys that nobody uses take no memory. */
export class KeyedMutex {
  readonly #locks = new Map<string, Mutex>();

  /** Runs `work` alone among those of its key, in the order of the calls. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const lock = this.#locks.get(key) ?? new Mutex();
    this.#locks.set(key, lock);
    try {
      return await lock.run(work);
    } finally {
      if (!lock.busy) this.#locks.delete(key);
    }
  }
}
