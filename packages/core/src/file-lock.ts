import { setTimeout as sleep } from "node:timers/promises";
import { coreError } from "./errors.ts";
import { errnoOf } from "./files.ts";

export interface FileLockOptions {
  /** Longest wait in milliseconds. Default 10,000. */
  readonly waitMs?: number;
}

const STALE_MS = 10_000;
const RETRY_MS = 20;

/**
 * Runs `work` while holding `<path>.lock`, a lock between processes; a dead owner's lock expires after 10 s.
 * @throws CORE_LOCK_TIMEOUT when another process holds it for `waitMs`; CORE_FILE_NOT_WRITABLE (`details.errno`) at once
 * when the lock cannot be made at all (missing or read-only folder, full disk).
 */
export async function withFileLock<T>(
  path: string,
  work: () => Promise<T>,
  options: FileLockOptions = {},
): Promise<T> {
  const release = await acquire(path, options.waitMs ?? 10_000);
  try {
    return await work();
  } finally {
    await release().catch(() => undefined);
  }
}

/** The library's own retries also repeat what waiting cannot mend, so a full disk would look like a held lock after 10 s. */
async function acquire(path: string, waitMs: number): Promise<() => Promise<void>> {
  const { lock } = await import("proper-lockfile");
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      return await lock(path, {
        realpath: false,
        stale: STALE_MS,
        retries: 0,
        // The default throws from a timer, which would end the process; the commit below is one rename either way.
        onCompromised: () => undefined,
      });
    } catch (cause) {
      if (errnoOf(cause) !== "ELOCKED") throw lockNotMade(path, cause);
      if (performance.now() >= deadline) throw lockHeld(path, waitMs, cause);
    }
    await sleep(RETRY_MS);
  }
}

function lockHeld(path: string, waitMs: number, cause: unknown): Error {
  return coreError(
    "CORE_LOCK_TIMEOUT",
    `${path} is locked by another process. Try again when its work has ended.`,
    { cause, details: { path, waited_ms: waitMs }, retryable: true },
  );
}

function lockNotMade(path: string, cause: unknown): Error {
  const errno = errnoOf(cause) ?? "unknown error";
  const hint = errno === "ENOSPC" ? "the disk is full" : errno;
  return coreError(
    "CORE_FILE_NOT_WRITABLE",
    `${path} cannot be locked for writing (${hint}); an earlier file of that name is untouched.`,
    { cause, details: { path, errno } },
  );
}
