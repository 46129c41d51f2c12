import { abortError } from "@acumen/core";

/** Thrown when nothing came in time; `classify` reads it as kind `timeout`. */
function timeoutError(milliseconds: number): Error {
  const error = new Error(`nothing came within ${milliseconds} ms`);
  error.name = "TimeoutError";
  return error;
}

/**
 * One attempt's own signal: it follows the caller's, and ends the request when a wait takes too long. One listener and one
 * timer for the whole attempt, because a stream waits once for each of its parts.
 */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  #reject: ((error: Error) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #firesAt = Number.POSITIVE_INFINITY;
  #limitMs = 0;
  /** Monotonic; infinite while nobody waits, so that a slow reader is not taken for a slow service. */
  #due = Number.POSITIVE_INFINITY;

  constructor(caller: AbortSignal | undefined) {
    this.#caller = caller;
    if (caller?.aborted === true) this.#onAbort();
    else caller?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** For the request. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * Settles with `work`, or rejects at the abort or after the time. Providers stop late or not at all when their stream
   * is not read, so the wait itself has to end. One wait at a time.
   */
  wait<T>(work: PromiseLike<T>, milliseconds: number): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#caller?.aborted === true) reject(abortError(this.#caller));
      this.#reject = reject;
      this.#limitMs = milliseconds;
      this.#due = performance.now() + milliseconds;
      if (this.#due < this.#firesAt) this.#arm(milliseconds);
      work.then(
        (value) => {
          this.#due = Number.POSITIVE_INFINITY;
          resolve(value);
        },
        (error: Error) => {
          this.#due = Number.POSITIVE_INFINITY;
          reject(error);
        },
      );
    });
  }

  /** Ends the request if it still runs, and lets go of the caller's signal. */
  end(): void {
    clearTimeout(this.#timer);
    this.#due = Number.POSITIVE_INFINITY;
    this.#caller?.removeEventListener("abort", this.#onAbort);
    this.#controller.abort();
  }

  readonly #onAbort = (): void => {
    const caller = this.#caller;
    if (caller === undefined) return;
    this.#controller.abort(caller.reason);
    this.#reject?.(abortError(caller));
  };

  #arm(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#firesAt = performance.now() + milliseconds;
    this.#timer = setTimeout(this.#onTimer, milliseconds);
  }

  readonly #onTimer = (): void => {
    this.#firesAt = Number.POSITIVE_INFINITY;
    const left = this.#due - performance.now();
    if (left === Number.POSITIVE_INFINITY) return;
    if (left > 0) {
      this.#arm(left);
      return;
    }
    const error = timeoutError(this.#limitMs);
    this.#reject?.(error);
    this.#controller.abort(error);
  };
}
