import { abortError } from "@acumen/core";

/** How long work may go on after its deadline or cancellation before the caller is answered without it. */
const GRACE_MS = 1_000;

export interface Outcome<T> {
  /** What the work gave; absent when it failed because of the deadline, or did not stop in time. */
  readonly value: T | undefined;
  /** True when the deadline passed before the work had ended. */
  readonly passed: boolean;
}

/**
 * Runs work that must stop when its signal aborts, within `seconds`. The promise settles when the work has really ended,
 * so that a lock around it stays held until then; only work that ignores its signal for a second is left behind.
 * Rejects with the work's own error, or with that of an abort of `signal`; a passed deadline is an {@link Outcome}.
 */
export async function withDeadline<T>(
  seconds: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<Outcome<T>> {
  const deadline = new AbortController();
  const stop = signal ? AbortSignal.any([deadline.signal, signal]) : deadline.signal;
  const timer = setTimeout(() => deadline.abort(), seconds * 1_000);
  const grace = graceAfter(stop);
  try {
    const value = await Promise.race([work(stop), grace.over]);
    return { value, passed: deadline.signal.aborted };
  } catch (error) {
    if (deadline.signal.aborted) return { value: undefined, passed: true };
    if (signal?.aborted) throw abortError(signal);
    throw error;
  } finally {
    clearTimeout(timer);
    grace.cancel();
  }
}

/** Rejects `GRACE_MS` after the abort. */
function graceAfter(signal: AbortSignal): {
  readonly over: Promise<never>;
  readonly cancel: () => void;
} {
  let timer: NodeJS.Timeout | undefined;
  let start = (): void => undefined;
  const over = new Promise<never>((_resolve, reject) => {
    start = () => {
      timer = setTimeout(() => reject(abortError(signal)), GRACE_MS);
    };
  });
  if (signal.aborted) start();
  else signal.addEventListener("abort", start, { once: true });
  const cancel = (): void => {
    clearTimeout(timer);
    signal.removeEventListener("abort", start);
  };
  return { over, cancel };
}
