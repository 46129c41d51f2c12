import { expect, test, vi } from "vitest";
import { closeInTime } from "../../src/serve/close-in-time.ts";

test("what closes is waited for, and its failure is thrown", async () => {
  let isClosed = false;
  const close = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    isClosed = true;
  };
  await closeInTime({ [Symbol.asyncDispose]: close }, { ms: 60_000 });
  expect(isClosed).toBe(true);
  const fail = (): Promise<void> => Promise.reject(new Error("The disk is gone."));
  await expect(closeInTime({ [Symbol.asyncDispose]: fail }, { ms: 60_000 })).rejects.toThrow(
    "gone",
  );
});

test("what does not close keeps neither the command nor the process, whose exit code stays", async () => {
  const never = (): Promise<void> => new Promise(() => undefined);
  const exit = vi.fn<(code?: number) => void>();
  await closeInTime({ [Symbol.asyncDispose]: never }, { exit, ms: 20 });
  expect(exit).not.toHaveBeenCalled();
  await vi.waitFor(() => expect(exit.mock.calls).toEqual([[]]));
});
