import { coreError } from "@acumen/core";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DEFAULT_RETRY, type RetryOptions, withRetries } from "../../src/call/retry.ts";
import { modelError, type ModelFailureKind } from "../../src/index.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const failure = (kind: ModelFailureKind, retryable: boolean, retryAfterMs?: number): Error =>
  modelError("x", {
    provider: "p",
    model: "m",
    kind,
    retryable,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });

async function run(
  errors: readonly Error[],
  options: Partial<RetryOptions> = {},
): Promise<{ result: unknown; attempts: number; delays: number[] }> {
  let attempts = 0;
  const delays: number[] = [];
  const work = withRetries(
    () => {
      const error = errors[attempts];
      attempts += 1;
      return error === undefined ? Promise.resolve("done") : Promise.reject(error);
    },
    {
      policy: DEFAULT_RETRY,
      classify: (error) => error as never,
      onRetry: ({ delayMs }) => delays.push(delayMs),
      random: () => 1,
      ...options,
    },
  ).catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  return { result: await work, attempts, delays };
}

describe("retries", () => {
  test("wait twice as long each time, half of it by chance", async () => {
    const errors = Array.from({ length: 3 }, () => failure("unavailable", true));
    expect(await run(errors)).toEqual({ result: "done", attempts: 4, delays: [500, 1_000, 2_000] });
    expect((await run(errors, { random: () => 0 })).delays).toEqual([250, 500, 1_000]);
  });

  test("end with the last error when the attempts are used up", async () => {
    const errors = Array.from({ length: 9 }, () => failure("unavailable", true));
    const { result, attempts } = await run(errors);
    expect(attempts).toBe(DEFAULT_RETRY.attempts);
    expect(result).toBe(errors[DEFAULT_RETRY.attempts - 1]);
  });

  test("never wait longer than the limit by their own choice", async () => {
    const errors = Array.from({ length: 9 }, () => failure("unavailable", true));
    const { delays } = await run(errors, { policy: { ...DEFAULT_RETRY, attempts: 10 } });
    expect(Math.max(...delays)).toBe(DEFAULT_RETRY.maxMs);
  });

  test("follow the service's time, up to a limit", async () => {
    expect((await run([failure("rate_limit", true, 7_000)])).delays).toEqual([7_000]);
    expect((await run([failure("rate_limit", true, 60_001)])).attempts).toBe(1);
  });

  test("a deadline is given a second chance only", async () => {
    const errors = Array.from({ length: 5 }, () => failure("timeout", true));
    expect((await run(errors)).attempts).toBe(2);
  });

  test("leave alone what will not pass", async () => {
    for (const kind of ["auth", "bad_request", "quota"] as const) {
      expect((await run([failure(kind, false)])).attempts).toBe(1);
    }
  });

  test("start no attempt after an abort, neither before nor while waiting", async () => {
    const before = await run([], { signal: AbortSignal.abort() });
    expect(before).toMatchObject({ attempts: 0, result: { code: "CORE_ABORTED" } });
    const controller = new AbortController();
    const during = await run([failure("unavailable", true)], {
      signal: controller.signal,
      onRetry: () => controller.abort(coreError("CORE_LOCK_TIMEOUT", "late")),
    });
    expect(during).toMatchObject({ attempts: 1, result: { code: "CORE_LOCK_TIMEOUT" } });
    expect(vi.getTimerCount()).toBe(0);
  });
});
