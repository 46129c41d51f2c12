import { type AcquireOptions, Mutex } from "@acumen/core";

interface Gate {
  readonly mutex: Mutex;
  users: number;
}

/**
 * Keeps the order in which calls of one key came, also when some have to look something up first: without this, a call
 * without look-ups would overtake an earlier one that is still resolving its path.
 */
export class Arrivals {
  readonly #gates = new Map<string, Gate>();

  /**
   * Runs `checks`, then `enter`, after those of all earlier calls of the key; at once when nobody is at it and there is
   * nothing to check. Rejects with what either throws, CORE_ABORTED, or CORE_LOCK_TIMEOUT.
   */
  async pass<T>(
    key: string,
    checks: (() => Promise<void>) | undefined,
    enter: () => T,
    options: AcquireOptions,
  ): Promise<T> {
    const gate = this.#gates.get(key) ?? { mutex: new Mutex(), users: 0 };
    if (checks === undefined && gate.users === 0) return enter();
    gate.users += 1;
    this.#gates.set(key, gate);
    const step = async (): Promise<T> => {
      await checks?.();
      return enter();
    };
    try {
      return await gate.mutex.run(step, options);
    } finally {
      gate.users -= 1;
      if (gate.users === 0) this.#gates.delete(key);
    }
  }
}
