import { throwIfAborted, untilAborted } from "@acumen/core";
import { runUntilAborted } from "../pipeline/run-step.ts";

/**
 * Lets learning calls overlap and makes a change of the book wait for all of them; learning that comes after such a change
 * was asked for waits for it in turn, so neither side can be starved.
 */
export class LearningGate {
  readonly #learning = new Set<Promise<unknown>>();
  #changes = 0;
  #lastChange: Promise<unknown> = Promise.resolve();

  /** Runs `work` beside other learning. A caller whose signal aborts is not kept waiting: its work finds it aborted. */
  async learn<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    while (this.#changes > 0 && !signal?.aborted) {
      await untilAborted(this.#lastChange, signal).catch(() => undefined);
    }
    const running = work();
    this.#learning.add(running);
    try {
      return await running;
    } finally {
      this.#learning.delete(running);
    }
  }

  /**
   * Prepares a change at once and commits it when no learning is under way. A change that cannot be prepared fails without
   * waiting. @throws CORE_ABORTED before the commit; nothing was changed then.
   */
  async change<P, T>(
    prepare: () => Promise<P>,
    commit: (prepared: P) => T,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const previous = this.#lastChange;
    this.#changes += 1;
    const turn = (async () => {
      const prepared = await runUntilAborted(prepare, signal);
      await untilAborted(previous, signal);
      await untilAborted(Promise.allSettled(this.#learning), signal);
      throwIfAborted(signal);
      return commit(prepared);
    })();
    // Settles after the previous change too, also when this one gave up waiting for it.
    this.#lastChange = Promise.allSettled([previous, turn]);
    try {
      return await turn;
    } finally {
      this.#changes -= 1;
    }
  }
}
