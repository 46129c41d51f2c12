import { abortError, throwIfAborted } from "./abort.ts";
import { coreError } from "./errors.ts";

export interface AcquireOptions {
  readonly signal?: AbortSignal | undefined;
  /** Longest wait for the lock in milliseconds; default: no limit. */
  readonly waitMs?: number | undefined;
}

interface Waiter {
  readonly start: () => void;
}

/** A first-in, first-out lock within one process. */
export class Mutex {
  #held = false;
  readonly #waiting: Waiter[] = [];

  /** True while somebody holds the lock or waits for it. */
  get busy(): boolean {
    return this.#held;
  }

  /**
   * Runs `work` alone; callers are served in the order in which they came.
   * @throws CORE_ABORTED when the signal aborts while waiting, CORE_LOCK_TIMEOUT after `waitMs` of waiting.
   */
  async run<T>(work: () => Promise<T> | T, options: AcquireOptions = {}): Promise<T> {
    await this.#acquire(options);
    try {
      return await work();
    } finally {
      this.#release();
    }
  }

  async #acquire({ signal, waitMs }: AcquireOptions): Promise<void> {
    throwIfAborted(signal);
    if (!this.#held) {
      this.#held = true;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const settle = (finish: () => void): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        finish();
      };
      const waiter: Waiter = { start: () => settle(resolve) };
      const leave = (error: Error): void => {
        const index = this.#waiting.indexOf(waiter);
        if (index >= 0) this.#waiting.splice(index, 1);
        settle(() => reject(error));
      };
      const onAbort = (): void => {
        if (signal) leave(abortError(signal));
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      if (waitMs !== undefined) {
        timer = setTimeout(() => {
          leave(
            coreError(
              "CORE_LOCK_TIMEOUT",
              `The lock was not free within ${waitMs} ms. Try again when the other work has ended.`,
              {
                details: { waited_ms: waitMs },
                retryable: true,
              },
            ),
          );
        }, waitMs);
      }
      this.#waiting.push(waiter);
    });
  }

  #release(): void {
    const next = this.#waiting.shift();
    if (next) next.start();
    else this.#held = false;
  }
}
