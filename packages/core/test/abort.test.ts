import { describe, expect, it } from "vitest";
import { abortError, coreError, throwIfAborted, untilAborted } from "../src/index.ts";

describe("abort helpers", () => {
  it("turn an aborted signal into CORE_ABORTED with the reason as cause", () => {
    const signal = AbortSignal.abort("stop");
    expect(() => throwIfAborted(signal)).toThrow(
      expect.objectContaining({ code: "CORE_ABORTED", cause: "stop" }),
    );
    expect(() => throwIfAborted(undefined)).not.toThrow();
  });

  it("pass a coded reason on as it is", () => {
    const reason = coreError("CORE_LOCK_TIMEOUT", "deadline");
    expect(abortError(AbortSignal.abort(reason))).toBe(reason);
  });

  it("reject at once although the work never ends", async () => {
    const controller = new AbortController();
    const race = untilAborted(new Promise(() => undefined), controller.signal);
    controller.abort();
    await expect(race).rejects.toMatchObject({ code: "CORE_ABORTED" });
  });

  it("leave no failure unhandled when the signal was aborted before", async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", note);
    try {
      const failing = Promise.reject(new Error("nobody listens"));
      await expect(untilAborted(failing, AbortSignal.abort())).rejects.toMatchObject({
        code: "CORE_ABORTED",
      });
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      process.off("unhandledRejection", note);
    }
    expect(unhandled).toEqual([]);
  });

  it("give the work's own result and its own failure", async () => {
    const { signal } = new AbortController();
    await expect(untilAborted(Promise.resolve(3), signal)).resolves.toBe(3);
    await expect(untilAborted(Promise.reject(new Error("own")), signal)).rejects.toThrow("own");
  });
});
