import { setTimeout as sleep } from "node:timers/promises";

const FIRST_MS = 100;
const LONGEST_MS = 10_000;

/**
 * Half to whole of 100 ms that double with each failure, up to 10 s: clients that lost the same server do not come back all at once.
 * @param failure counts from 0
 */
export function backoffMs(failure: number, random: () => number = Math.random): number {
  const whole = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failure, 20));
  return whole / 2 + (whole / 2) * random();
}

/** Seconds or a date of the header; undefined without one that makes sense. */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,6}$/.test(header.trim())) return Number(header) * 1_000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** @throws the signal's reason */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}
