import { expect, it, vi } from "vitest";
import { AcpEventQueue } from "../../src/events/acp-event-queue.ts";

it("a callback runs outside the publisher's stack", async () => {
  const queue = new AcpEventQueue();
  let isPublishing = true;
  const during: boolean[] = [];
  queue.subscribeLocal(() => void during.push(isPublishing));
  const published = queue.publish({ event_type: "x.a" });
  isPublishing = false;
  await published;
  await vi.waitFor(() => expect(during).toEqual([false]));
});

it("one that throws, rejects or never ends harms neither the publisher nor the others", async () => {
  const warn = vi.fn();
  const ignore = (): void => undefined;
  const logger = { debug: ignore, info: ignore, warn, error: ignore };
  const queue = new AcpEventQueue({ logger, limits: { buffer: 10 } });
  const seen: number[] = [];
  queue.subscribeLocal(() => {
    throw new Error("secret text of a subscriber");
  });
  queue.subscribeLocal(() => Promise.reject(new TypeError("secret too")));
  queue.subscribeLocal(() => new Promise(() => undefined));
  queue.subscribeLocal(({ seq }) => void seen.push(seq));
  for (let i = 0; i < 30; i += 1) await queue.publish({ event_type: "x.a" });
  await vi.waitFor(() => expect(seen).toHaveLength(30));
  expect(seen).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
  expect(warn).toHaveBeenCalledWith(
    "a subscriber's callback failed",
    expect.objectContaining({ error: "TypeError" }),
  );
  expect(JSON.stringify(warn.mock.calls)).not.toContain("secret");
});

it("subscribers may leave and join while an event is delivered", async () => {
  const queue = new AcpEventQueue();
  const seen: string[] = [];
  const ids: string[] = [];
  for (const name of ["a", "b", "c"]) {
    const id = queue.subscribeLocal(({ seq }) => {
      seen.push(`${name}${seq}`);
      if (name === "a") {
        queue.unsubscribe(ids[0] ?? "");
        queue.unsubscribe(ids[1] ?? "");
        queue.subscribeLocal((event) => void seen.push(`d${event.seq}`));
      }
    });
    ids.push(id);
  }
  await queue.publish({ event_type: "x.a" });
  await queue.publish({ event_type: "x.b" });
  await vi.waitFor(() => expect(seen).toContain("d2"));
  expect(seen).toEqual(["a1", "c1", "c2", "d2"]);
});
