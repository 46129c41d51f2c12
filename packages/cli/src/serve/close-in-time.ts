import { setTimeout as sleep } from "node:timers/promises";
import type { CommandContext } from "../command-context.ts";

/** From when nothing is served any more; closing plans, connections and database takes a part of it. */
export const LEAVE_MS = 3_000;

/**
 * Closes what worked on plans. What cannot be stopped, such as the removal of many files, keeps the command no longer, nor the process after
 * it; the next start does it again.
 * @param options.ms default 3 s
 */
export async function closeInTime(
  opened: AsyncDisposable,
  { exit, ms = LEAVE_MS }: Pick<CommandContext, "exit"> & { readonly ms?: number },
): Promise<void> {
  const isClosed = new AbortController();
  const late = sleep(ms, undefined, { signal: isClosed.signal }).catch(() => undefined);
  try {
    await Promise.race([opened[Symbol.asyncDispose](), late]);
  } finally {
    isClosed.abort();
  }
  setTimeout(() => exit?.(), ms).unref();
}
