import { setMaxListeners } from "node:events";

/** The abort signal of one run; `release` when the run has ended. */
export interface RunSignal {
  readonly signal: AbortSignal | undefined;
  readonly release: () => void;
}

/**
 * A signal of the run's own that follows its caller's. Every step under way listens to it, so with more than ten workers
 * Node would otherwise warn of a leak on a signal that is not ours to configure.
 */
export function followSignal(signal: AbortSignal | undefined): RunSignal {
  if (!signal) return { signal, release: () => undefined };
  const own = new AbortController();
  setMaxListeners(0, own.signal);
  const abort = (): void => own.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  return { signal: own.signal, release: () => signal.removeEventListener("abort", abort) };
}
