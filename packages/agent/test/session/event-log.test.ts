import { createId } from "@acumen/core";
import { FakeClock } from "@acumen/testkit";
import { expect, test } from "vitest";
import {
  EventLog,
  MemorySessionStore,
  type OpenedSession,
  type SessionEvent,
} from "../../src/index.ts";
import { created, eventOf, newMeta, prompted, said, START } from "./support.ts";

const place = { turnId: createId(), step: 2 };

async function started() {
  const clock = new FakeClock(START);
  const store = new MemorySessionStore({ clock });
  const meta = newMeta();
  const opened = await store.create(meta, [created(meta)]);
  return { clock, store, opened, id: meta.session_id, log: new EventLog(opened, { clock }) };
}

/** The session, with appends that fail when `fails` says so. */
function failing(opened: OpenedSession, fails: (events: readonly SessionEvent[]) => boolean) {
  const append: OpenedSession["append"] = async (events) => {
    if (fails(events)) throw new Error("no room");
    await opened.append(events);
  };
  return new Proxy(opened, {
    get: (target, name) => (name === "append" ? append : Reflect.get(target, name, target)),
  });
}

test("an event gets the next seq, an id, the session, its place and the time", async () => {
  const { log, id, clock, store } = await started();
  clock.advance(1_234);
  const draft = prompted("hello");
  const event = await log.record(draft, place);
  expect(event).toEqual({
    seq: 2,
    event_id: expect.stringMatching(/^[0-9A-Z]{26}$/),
    session_id: id,
    turn_id: place.turnId,
    step: 2,
    type: "USER_MESSAGE",
    timestamp: "2026-01-01T00:00:01.234Z",
    payload: draft.payload,
  });
  expect(log.events.map(({ seq }) => seq)).toEqual([1, 2]);
  expect((await store.read(id)).events.at(-1)).toEqual(event);
});

test("events of calls that nobody waited for stand in the order of the calls, without gaps", async () => {
  const { log, store, id } = await started();
  const texts = Array.from({ length: 500 }, (_, index) => `text ${index}`);
  const recorded = await Promise.all(texts.map((text) => log.record(said(text), place)));
  expect(recorded.map(({ seq }) => seq)).toEqual(texts.map((_text, index) => index + 2));
  expect(recorded.map(({ payload }) => payload.text)).toEqual(texts);
  expect((await store.read(id)).events.slice(1)).toEqual(recorded);
  expect(new Set(recorded.map(({ event_id }) => event_id)).size).toBe(500);
});

test("100 subscribers get every event in order, each after it was stored", async () => {
  const { log, store, id } = await started();
  const seen = Array.from({ length: 100 }, (): number[] => []);
  for (const list of seen) log.subscribe(({ seq }) => void list.push(seq));
  const unstored: number[] = [];
  log.subscribe(async ({ seq }) => {
    const { events } = await store.read(id);
    if (!events.some((event) => event.seq === seq)) unstored.push(seq);
  });
  await Promise.all(Array.from({ length: 50 }, () => log.record(said("x"), place)));
  for (const list of seen) expect(list).toEqual(Array.from({ length: 50 }, (_, i) => i + 2));
  expect(unstored).toEqual([]);
});

test("nothing is delivered of an event that could not be stored, and its seq goes to the next", async () => {
  const { opened, clock, store, id } = await started();
  let full = false;
  const log = new EventLog(
    failing(opened, () => full),
    { clock },
  );
  const seen: number[] = [];
  log.subscribe(({ seq }) => void seen.push(seq));
  await log.record(said("a"), place);
  full = true;
  const lost = [log.record(said("b"), place), log.record(said("c"), place)];
  for (const each of await Promise.allSettled(lost)) {
    expect(each).toMatchObject({ status: "rejected", reason: { message: "no room" } });
  }
  full = false;
  expect((await log.record(said("d"), place)).seq).toBe(3);
  expect(seen).toEqual([2, 3]);
  expect(log.events.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  expect((await store.read(id)).events.map(({ seq }) => seq)).toEqual([1, 2, 3]);
});

test("one event that can't be stored takes none of its neighbours with it", async () => {
  const { log, store, id } = await started();
  const bad = said("bad");
  Object.assign(bad.payload, { provider_metadata: { count: 1n } });
  const settled = await Promise.allSettled(
    [said("first"), said("a"), bad, said("b")].map((draft) => log.record(draft, place)),
  );
  expect(settled.map(({ status }) => status)).toEqual([
    "fulfilled",
    "fulfilled",
    "rejected",
    "fulfilled",
  ]);
  const { events } = await store.read(id);
  expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  expect(log.events).toEqual(events);
});

test("a subscriber that throws or rejects breaks neither the log nor the others", async () => {
  const { opened, clock } = await started();
  const warned: string[] = [];
  const ignore = (): void => undefined;
  const warn = (message: string): void => void warned.push(message);
  const logger = { debug: ignore, info: ignore, warn, error: ignore };
  const log = new EventLog(opened, { clock, logger });
  const seen: number[] = [];
  log.subscribe(() => {
    throw new Error("thrown");
  });
  log.subscribe(() => Promise.reject(new Error("rejected")));
  log.subscribe(({ seq }) => void seen.push(seq));
  await log.record(said("a"), place);
  await log.record(said("b"), place);
  expect(seen).toEqual([2, 3]);
  expect(warned).toHaveLength(4);
});

test("a slow subscriber is waited for, and sees one event at a time", async () => {
  const { log } = await started();
  const steps: string[] = [];
  const gates: (() => void)[] = [];
  log.subscribe(async ({ seq }) => {
    steps.push(`begin ${seq}`);
    await new Promise<void>((resolve) => gates.push(resolve));
    steps.push(`end ${seq}`);
  });
  let done = 0;
  const both = ["a", "b"].map((text) => log.record(said(text), place).then(() => (done += 1)));
  await expect.poll(() => gates.length).toBe(1);
  expect(log.events).toHaveLength(3);
  expect([steps, done]).toEqual([["begin 2"], 0]);
  gates[0]?.();
  await expect.poll(() => gates.length).toBe(2);
  expect([steps, done]).toEqual([["begin 2", "end 2", "begin 3"], 1]);
  gates[1]?.();
  await Promise.all(both);
});

test("subscriptions begin and end between events; a function that listens twice is called twice", async () => {
  const { log } = await started();
  const seen: string[] = [];
  const listener = ({ seq }: SessionEvent): void => void seen.push(`twice ${seq}`);
  const stop = log.subscribe(listener);
  log.subscribe(listener);
  let joined = false;
  log.subscribe(() => {
    if (joined) return;
    joined = true;
    log.subscribe(({ seq }) => void seen.push(`late ${seq}`));
  });
  await log.record(said("a"), place);
  stop();
  stop();
  await log.record(said("b"), place);
  expect(seen).toEqual(["twice 2", "twice 2", "twice 3", "late 3"]);
});

test("a log that is opened again goes on behind what was there, readable or not", async () => {
  const { store, opened, id, clock } = await started();
  await opened.append([
    eventOf(id, 2, said("a")),
    Object.assign(eventOf(id, 3, said("b")), { type: "FROM_THE_FUTURE" }),
  ]);
  await opened.close();
  const log = new EventLog(await store.open(id), { clock });
  expect(log.events.map(({ seq }) => seq)).toEqual([1, 2]);
  expect((await log.record(said("c"), place)).seq).toBe(4);
});

test("after deletion and after close an event is refused", async () => {
  const { log, store, id, opened } = await started();
  await store.delete(id);
  await expect(log.record(said("a"), place)).rejects.toMatchObject({
    code: "AGENT_SESSION_NOT_FOUND",
  });
  await opened.close();
  await expect(log.record(said("a"), place)).rejects.toMatchObject({
    code: "AGENT_SESSION_CLOSED",
  });
  expect(log.events).toHaveLength(1);
});
