import { abortError } from "@acumen/core";

/** Thrown when nothing came in time; `classify` reads it as kind `timeout`. */
function timeoutError(milliseconds: number): Error {
  const error = new Error(`nothing came within ${milliseconds} ms`);
  error.name = "TimeoutError";
  return error;
}

/** One attempt's own signal: it follows the caller's, and ends the request when a wait takes too long. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #onAbort = (): void => this.#controller.abort(this.#caller?.reason);

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
   * is not read, so the wait itself has to end.
   */
  async wait<T>(work: PromiseLike<T>, milliseconds: number): Promise<T> {
    if (this.#caller?.aborted === true) {
      Promise.resolve(work).catch(() => undefined);
      throw abortError(this.#caller);
    }
    let timer: NodeJS.Timeout | undefined;
    let stop: (() => void) | undefined;
    const ended = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        const error = timeoutError(milliseconds);
        reject(error);
        this.#controller.abort(error);
      }, milliseconds);
      const caller = this.#caller;
      if (caller === undefined) return;
      stop = () => reject(abortError(caller));
      caller.addEventListener("abort", stop, { once: true });
    });
    try {
      return await Promise.race([work, ended]);
    } finally {
      clearTimeout(timer);
      if (stop !== undefined) this.#caller?.removeEventListener("abort", stop);
    }
  }

  /** Ends the request if it still runs, and lets go of the caller's signal. */
  end(): void {
    this.#caller?.removeEventListener("abort", this.#onAbort);
    this.#controller.abort();
  }
}
