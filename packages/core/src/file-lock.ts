import { coreError } from "./errors.ts";

export interface FileLockOptions {
  /** Longest wait in milliseconds. Default 10,000. */
  readonly waitMs?: number;
}

const STALE_MS = 10_000;
const RETRY_MS = 20;

/**
 * Runs `work` while holding `<path>.lock`, a lock between processes; a dead owner's lock expires after 10 s.
 * @throws CORE_LOCK_TIMEOUT when another process holds it for `waitMs`.
 */
export async function withFileLock<T>(
  path: string,
  work: () => Promise<T>,
  options: FileLockOptions = {},
): Promise<T> {
  const { waitMs = 10_000 } = options;
  const { lock } = await import("proper-lockfile");
  let release: () => Promise<void>;
  try {
    release = await lock(path, {
      realpath: false,
      stale: STALE_MS,
      retries: {
        retries: Math.ceil(waitMs / RETRY_MS),
        factor: 1,
        minTimeout: RETRY_MS,
        maxTimeout: RETRY_MS,
      },
      // The default throws from a timer, which would end the process; the commit below is one rename either way.
      onCompromised: () => undefined,
    });
  } catch (cause) {
    throw coreError(
      "CORE_LOCK_TIMEOUT",
      `${path} is locked by another process. Try again when its work has ended.`,
      {
        cause,
        details: { path, waited_ms: waitMs },
        retryable: true,
      },
    );
  }
  try {
    return await work();
  } finally {
    await release().catch(() => undefined);
  }
}
