import { agentError } from "../errors.ts";

interface Entry {
  start(): void;
  /** Answers work that has not begun. */
  answer(): void;
  readonly controller: AbortController;
}

export interface QueueOptions<T> {
  /** The caller's. Aborting it while the work runs cancels the queue; while it waits, only this work. */
  readonly signal?: AbortSignal | undefined;
  /** The answer for work that was cancelled before it began; may throw. */
  readonly cancelled: () => T;
}

/** The work of one session: one at a time, in the order in which it came; each piece is answered. */
export class PromptQueue {
  readonly #waiting: Entry[] = [];
  #running: Entry | undefined;
  #idle: Promise<void> = Promise.resolve();
  #closed = false;

  get busy(): boolean {
    return this.#running !== undefined;
  }

  /** Of the work that runs; undefined when none does. */
  get signal(): AbortSignal | undefined {
    return this.#running?.controller.signal;
  }

  /**
   * Starts at once when nothing runs. The signal that `work` gets exists before its first line.
   * @throws AGENT_SESSION_CLOSED, and whatever `work` rejects with
   */
  async run<T>(
    work: (signal: AbortSignal) => Promise<T>,
    { signal, cancelled }: QueueOptions<T>,
  ): Promise<T> {
    if (this.#closed) {
      throw agentError("AGENT_SESSION_CLOSED", "The session was closed; open it again.");
    }
    if (signal?.aborted === true) return cancelled();
    const controller = new AbortController();
    return new Promise<T>((resolve, reject) => {
      const onAbort = (): void => {
        if (this.#running === entry) this.cancel(signal?.reason);
        else entry.answer();
      };
      const leave = (): void => signal?.removeEventListener("abort", onAbort);
      const entry: Entry = {
        controller,
        start: () => {
          this.#running = entry;
          this.#idle = work(controller.signal)
            .then(resolve, reject)
            .then(() => {
              leave();
              this.#running = undefined;
              this.#waiting.shift()?.start();
            });
        },
        answer: () => {
          leave();
          const index = this.#waiting.indexOf(entry);
          if (index >= 0) this.#waiting.splice(index, 1);
          settle(cancelled, resolve, reject);
        },
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      if (this.#running === undefined) entry.start();
      else this.#waiting.push(entry);
    });
  }

  /** Aborts what runs and answers everything that waits. */
  cancel(reason?: unknown): void {
    this.#running?.controller.abort(reason);
    for (const entry of this.#waiting.slice()) entry.answer();
  }

  /** Cancels, takes nothing more, and waits until what ran has ended. May be called twice. */
  async close(): Promise<void> {
    this.#closed = true;
    this.cancel();
    await this.#idle;
  }
}

function settle<T>(
  answer: () => T,
  resolve: (value: T) => void,
  reject: (error: unknown) => void,
): void {
  try {
    resolve(answer());
  } catch (error) {
    reject(error);
  }
}
