import { FakeClock } from "@acumen/testkit";
import { expect, it } from "vitest";
import { AcpEventQueue } from "../../src/events/acp-event-queue.ts";
import { STORES } from "../support/facade-stores.ts";
import { LOCAL, publishMany } from "../events/support.ts";

const DAY = 24 * 3_600_000;

it.each(STORES)("the log of the $name store keeps so many events, so long", async ({ open }) => {
  const clock = new FakeClock();
  await using opened = await open(clock);
  const queue = new AcpEventQueue({ store: opened.store, clock, limits: { keepEvents: 500 } });
  await publishMany(queue, 1_200);
  await queue.sweep();
  expect(await queue.list({ limit: 1_000 }, LOCAL)).toMatchObject({ oldest: 701, cursor: 1_200 });
  expect(await queue.getEvents(1_000)).toHaveLength(500);
  clock.advance(7 * DAY + 1);
  await queue.sweep();
  expect(await queue.getEvents(1_000)).toEqual([]);
  // A client that was away for so long is told, instead of missing events without a word.
  const expired = { code: "FACADE_CURSOR_EXPIRED", details: { oldest: 1_201 } };
  await expect(queue.list({ after: 1_000, limit: 1 }, LOCAL)).rejects.toMatchObject(expired);
  await expect(queue.open({ after: 1_000 }, LOCAL)).rejects.toMatchObject(expired);
  await queue.close();
});

it("keeps 100,000 events unless told otherwise", async () => {
  const queue = new AcpEventQueue();
  for (let i = 0; i < 3; i += 1) await publishMany(queue, 40_000);
  await queue.sweep();
  expect(await queue.list({ limit: 1 }, LOCAL)).toMatchObject({ oldest: 20_001 });
});
