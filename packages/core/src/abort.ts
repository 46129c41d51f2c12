import { AcumenError, coreError } from "./errors.ts";

/** The coded error for an aborted signal; a coded reason given to `abort()` is passed on as it is. */
export function abortError(signal: AbortSignal): AcumenError {
  const reason: unknown = signal.reason;
  if (AcumenError.isInstance(reason)) return reason;
  return coreError("CORE_ABORTED", "The work was aborted by its caller.", { cause: reason });
}

/** Throws {@link abortError} when the signal is aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortError(signal);
}

/** Settles with `work`, or rejects at once when the signal aborts. The work itself must watch the signal to stop. */
export async function untilAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (!signal) return work;
  if (signal.aborted) {
    // Nobody waits for it any more, so nobody would handle its failure.
    work.catch(() => undefined);
    throw abortError(signal);
  }
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(abortError(signal));
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (onAbort) signal.removeEventListener("abort", onAbort);
  }
}
