import { AcumenError } from "@acumen/core";
import type { After } from "./after.ts";

/** A full disk or a busy database is looked at again after so long. */
export const RETRY_MS = 2_000;

/**
 * Writes again and again while the store says that what stops it passes. Else a plan would stay at work that nobody does.
 * @param end ends the waiting: one last try, and its failure counts
 * @throws what the write throws
 */
export async function patiently<T>(
  write: () => Promise<T>,
  { after, end }: { readonly after: After; readonly end: AbortSignal },
): Promise<T> {
  for (;;) {
    const isLast = end.aborted;
    try {
      return await write();
    } catch (error) {
      if (isLast || !passes(error)) throw error;
    }
    await pause(after, end);
  }
}

function passes(error: unknown): boolean {
  return AcumenError.isInstance(error) && error.code === "FACADE_NOT_AVAILABLE" && error.retryable;
}

async function pause(after: After, end: AbortSignal): Promise<void> {
  if (end.aborted) return;
  await new Promise<void>((resolve) => {
    const cancelTimer = after(RETRY_MS, () => finish());
    const finish = (): void => {
      end.removeEventListener("abort", finish);
      cancelTimer();
      resolve();
    };
    end.addEventListener("abort", finish, { once: true });
  });
}
