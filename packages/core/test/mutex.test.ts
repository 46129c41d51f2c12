import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Mutex } from "../src/index.ts";

const tick = (ms = 0): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe("Mutex", () => {
  it("serves any number of callers one at a time, in order of arrival", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 12 }),
        async (delays) => {
          const mutex = new Mutex();
          const order: number[] = [];
          let inside = 0;
          await Promise.all(
            delays.map((ms, index) =>
              mutex.run(async () => {
                inside += 1;
                expect(inside).toBe(1);
                await tick(ms);
                order.push(index);
                inside -= 1;
              }),
            ),
          );
          expect(order).toEqual(delays.map((_, index) => index));
          expect(mutex.busy).toBe(false);
        },
      ),
      { numRuns: 20 },
    );
  });

  it("goes on after work that throws", async () => {
    const mutex = new Mutex();
    await expect(mutex.run(() => Promise.reject(new Error("boom")))).rejects.toThrow("boom");
    await expect(mutex.run(() => 1)).resolves.toBe(1);
  });

  it("lets an aborted waiter leave without disturbing the others", async () => {
    const mutex = new Mutex();
    const controller = new AbortController();
    let free: () => void = () => undefined;
    const first = mutex.run(() => new Promise<void>((resolve) => (free = resolve)));
    const second = mutex.run(() => "second", { signal: controller.signal });
    const third = mutex.run(() => "third");
    controller.abort();
    await expect(second).rejects.toMatchObject({ code: "CORE_ABORTED" });
    free();
    await first;
    await expect(third).resolves.toBe("third");
  });

  it("gives up after waitMs with CORE_LOCK_TIMEOUT", async () => {
    const mutex = new Mutex();
    let free: () => void = () => undefined;
    const first = mutex.run(() => new Promise<void>((resolve) => (free = resolve)));
    await expect(mutex.run(() => 1, { waitMs: 5 })).rejects.toMatchObject({
      code: "CORE_LOCK_TIMEOUT",
      details: { waited_ms: 5 },
      retryable: true,
    });
    free();
    await first;
    expect(mutex.busy).toBe(false);
  });
});
