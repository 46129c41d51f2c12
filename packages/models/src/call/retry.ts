import { type AcumenError, throwIfAborted } from "@acumen/core";
import { modelFailureKind } from "../errors.ts";
import type { RetryNotice } from "../model-types.ts";

export interface RetryPolicy {
  /** Calls in all, the first one included. */
  readonly attempts: number;
  /** Wait before the second attempt, doubled for each further one, in milliseconds. */
  readonly baseMs: number;
  /** Longest wait of our own choice. */
  readonly maxMs: number;
  /** Longest wait that a service may ask for; a longer one is reported (`retry_after_ms`) and not waited for. */
  readonly maxRetryAfterMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = {
  attempts: 4,
  baseMs: 500,
  maxMs: 16_000,
  maxRetryAfterMs: 60_000,
};

/** A deadline passed once may pass by chance; waiting for it again and again is minutes. */
const TIMEOUT_ATTEMPTS = 2;

export interface RetryOptions {
  readonly policy: RetryPolicy;
  /** Turns what was thrown into a coded error; an abort too. */
  readonly classify: (error: unknown) => AcumenError;
  readonly signal?: AbortSignal | undefined;
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
  /** Between 0 and 1. */
  readonly random?: () => number;
}

/**
 * Runs `attempt` until it succeeds, fails for good, or the attempts are used up. Waits as long as the service asks, else
 * exponentially with jitter. After an abort no attempt starts.
 */
export async function withRetries<T>(
  attempt: (number: number) => Promise<T>,
  { policy, classify, signal, onRetry, random = Math.random }: RetryOptions,
): Promise<T> {
  for (let number = 1; ; number += 1) {
    throwIfAborted(signal);
    try {
      return await attempt(number);
    } catch (thrown) {
      const error = classify(thrown);
      const delayMs = nextDelay(error, number, policy, random);
      if (delayMs === undefined || signal?.aborted === true) throw error;
      onRetry?.({ attempt: number, delayMs, error });
      await sleep(delayMs, signal);
    }
  }
}

function nextDelay(
  error: AcumenError,
  number: number,
  policy: RetryPolicy,
  random: () => number,
): number | undefined {
  const limit =
    modelFailureKind(error) === "timeout"
      ? Math.min(policy.attempts, TIMEOUT_ATTEMPTS)
      : policy.attempts;
  if (!error.retryable || number >= limit) return undefined;
  const asked = error.details["retry_after_ms"];
  if (typeof asked === "number") return asked > policy.maxRetryAfterMs ? undefined : asked;
  const ceiling = Math.min(policy.maxMs, policy.baseMs * 2 ** (number - 1));
  // Half of it fixed, half random: callers that were refused together do not come back together.
  return Math.round(ceiling / 2 + (random() * ceiling) / 2);
}

/** Ends early, without an error, when the signal aborts. */
function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener("abort", done, { once: true });
    if (signal?.aborted === true) done();
  });
}
