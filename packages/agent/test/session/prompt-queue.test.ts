import { expect, test } from "vitest";
import { PromptQueue } from "../../src/session/prompt-queue.ts";

const cancelled = (): string => "cancelled";

/** Work that ends when it is told to. */
function gate(): { readonly open: () => void; readonly opened: Promise<void> } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
}

test("work runs one at a time in the order in which it came, and failures pass nobody by", async () => {
  const queue = new PromptQueue();
  const order: string[] = [];
  const work =
    (name: string, fails = false) =>
    async (): Promise<string> => {
      order.push(`begin ${name}`);
      await Promise.resolve();
      order.push(`end ${name}`);
      if (fails) throw new Error(name);
      return name;
    };
  const results = await Promise.allSettled([
    queue.run(work("a"), { cancelled }),
    queue.run(work("b", true), { cancelled }),
    queue.run(work("c"), { cancelled }),
  ]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(order).toEqual(["begin a", "end a", "begin b", "end b", "begin c", "end c"]);
  expect(queue.busy).toBe(false);
});

test("the signal is there when the work begins, and the work begins at once", () => {
  const queue = new PromptQueue();
  let seen: AbortSignal | undefined;
  void queue.run(
    (signal) => {
      seen = signal;
      return Promise.resolve("");
    },
    { cancelled },
  );
  expect(seen?.aborted).toBe(false);
  queue.cancel();
  expect(seen?.aborted).toBe(true);
});

test("a cancel answers what waits at once, but the next work waits until the running one has ended", async () => {
  const queue = new PromptQueue();
  const { open, opened } = gate();
  let ended = false;
  const running = queue.run(
    async (signal) => {
      await opened;
      ended = true;
      return signal.aborted ? "stopped" : "done";
    },
    { cancelled },
  );
  const waiting = queue.run(() => Promise.resolve("never"), { cancelled });
  queue.cancel();
  expect(await waiting).toBe("cancelled");
  const next = queue.run(() => Promise.resolve(ended ? "after" : "beside"), { cancelled });
  open();
  expect(await running).toBe("stopped");
  expect(await next).toBe("after");
});

test("a caller's abort of work that has ended does nothing to others", async () => {
  const queue = new PromptQueue();
  const controller = new AbortController();
  await queue.run(() => Promise.resolve(""), { signal: controller.signal, cancelled });
  const { open, opened } = gate();
  const running = queue.run(
    async (signal) => {
      await opened;
      return signal.aborted;
    },
    { cancelled: () => true },
  );
  controller.abort();
  open();
  expect(await running).toBe(false);
});

test("an answer that throws rejects", async () => {
  const queue = new PromptQueue();
  const { open, opened } = gate();
  const running = queue.run(() => opened, { cancelled: () => undefined });
  const controller = new AbortController();
  const waiting = queue.run(() => Promise.resolve(), {
    signal: controller.signal,
    cancelled: () => {
      throw new Error("not begun");
    },
  });
  controller.abort();
  await expect(waiting).rejects.toThrow("not begun");
  open();
  await running;
});

test("close waits for what runs and takes nothing more", async () => {
  const queue = new PromptQueue();
  const { open, opened } = gate();
  let ended = false;
  const running = queue.run(
    async () => {
      await opened;
      ended = true;
      return "";
    },
    { cancelled },
  );
  const closing = queue.close().then(() => ended);
  await expect(queue.run(() => Promise.resolve(""), { cancelled })).rejects.toMatchObject({
    code: "AGENT_SESSION_CLOSED",
  });
  open();
  expect(await closing).toBe(true);
  await running;
  await queue.close();
});
