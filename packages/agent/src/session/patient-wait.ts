import { untilAborted } from "@acumen/core";

/** How long work outside of turns waits for a listener. */
const LISTENER_MS = 1_000;

/** Waits for a listener; fails with it, and not because the wait has ended. */
export async function patiently(
  done: Promise<void>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const limit = new AbortController();
  // Outside of turns there is nothing that somebody could cancel.
  const timer = signal === undefined ? setTimeout(() => limit.abort(), LISTENER_MS) : undefined;
  const until = signal ?? limit.signal;
  try {
    await untilAborted(done, until);
  } catch (error) {
    if (!until.aborted) throw error;
  } finally {
    clearTimeout(timer);
  }
}
