import { coreError } from "@acumen/core";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Deadline } from "../../src/call/deadline.ts";
import { failureOf } from "../support/wires.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = (): Promise<never> => new Promise(() => undefined);

describe("a deadline", () => {
  test("passes results and failures on", async () => {
    const deadline = new Deadline(undefined);
    expect(await deadline.wait(Promise.resolve(1), 10)).toBe(1);
    const error = new Error("own");
    expect(await failureOf(deadline.wait(Promise.reject(error), 10))).toBe(error);
    expect(deadline.signal.aborted).toBe(false);
  });

  test("ends wait and request when the time is over", async () => {
    const deadline = new Deadline(undefined);
    const failure = failureOf(deadline.wait(never(), 1_000));
    await vi.advanceTimersByTimeAsync(999);
    expect(deadline.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(2);
    expect(await failure).toMatchObject({ name: "TimeoutError" });
    expect(deadline.signal.aborted).toBe(true);
  });

  test("counts each wait anew, a shorter one after a longer one too", async () => {
    const deadline = new Deadline(undefined);
    await deadline.wait(Promise.resolve(), 100_000);
    for (let part = 0; part < 5; part += 1) {
      const work = deadline.wait(new Promise((resolve) => setTimeout(resolve, 800)), 1_000);
      await vi.advanceTimersByTimeAsync(800);
      await work;
    }
    const failure = failureOf(deadline.wait(never(), 1_000));
    await vi.advanceTimersByTimeAsync(1_001);
    expect(await failure).toMatchObject({ name: "TimeoutError" });
  });

  test("does not count while nobody waits", async () => {
    const deadline = new Deadline(undefined);
    await deadline.wait(Promise.resolve(), 1_000);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(deadline.signal.aborted).toBe(false);
    expect(await deadline.wait(Promise.resolve("late"), 1_000)).toBe("late");
  });

  test("follows the caller's abort, with its reason", async () => {
    const caller = new AbortController();
    const deadline = new Deadline(caller.signal);
    const failure = failureOf(deadline.wait(never(), 1_000));
    const reason = coreError("CORE_LOCK_TIMEOUT", "late");
    caller.abort(reason);
    expect(await failure).toBe(reason);
    expect(deadline.signal.reason).toBe(reason);
    const after = new Deadline(caller.signal);
    expect(after.signal.aborted).toBe(true);
    expect(await failureOf(after.wait(Promise.resolve(1), 10))).toBe(reason);
  });

  test("leaves no timer and no listener behind", async () => {
    const caller = new AbortController();
    const deadline = new Deadline(caller.signal);
    await deadline.wait(Promise.resolve(), 1_000);
    deadline.end();
    expect(vi.getTimerCount()).toBe(0);
    expect(deadline.signal.aborted).toBe(true);
    caller.abort(new Error("later"));
    expect((deadline.signal.reason as Error).name).toBe("AbortError");
  });
});
