import { setImmediate as nextTurn } from "node:timers/promises";
import type { Logger } from "@acumen/core";
import { FakeClock } from "@acumen/testkit";
import { describe, expect, it, vi } from "vitest";
import type { AcpEvent } from "../../src/envelope/acp-event.ts";
import { ResourceNotFoundError, ValidationError } from "../../src/errors/domain-error.ts";
import { AcpEventQueue } from "../../src/events/acp-event-queue.ts";
import { MemoryFacadeStore } from "../../src/store/memory-facade-store.ts";
import { planAt } from "../support/plan-at.ts";
import { as, draft, LOCAL, publishMany, shortly, startReader } from "./support.ts";

function warnings(): { readonly logger: Logger; readonly lines: string[] } {
  const lines: string[] = [];
  const ignore = (): void => undefined;
  const warn = (text: string, fields = {}): void => {
    lines.push(`${text} ${JSON.stringify(fields)}`);
  };
  return { lines, logger: { debug: ignore, info: ignore, warn, error: ignore } };
}

const seqs = (events: readonly AcpEvent[]): number[] => events.map(({ seq }) => seq);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

describe("publishing", () => {
  it("goes to the log of the local owner, with what a draft leaves out", async () => {
    const queue = new AcpEventQueue({ clock: new FakeClock() });
    const event = await queue.publish({ event_type: "x.hello" });
    expect(event).toMatchObject({ plan_id: null, session_id: null, data: {}, seq: 1 });
    expect(event.timestamp).toBe("2026-01-01T00:00:00.000Z");
    expect(await queue.getEvents()).toEqual([event]);
    expect(await queue.getEvents(100, "other")).toEqual([]);
  });

  it("refuses what no type allows, and stores nothing of it", async () => {
    const queue = new AcpEventQueue();
    for (const event_type of ["plan.imagined", "snapshot", "plan.errored", ""]) {
      await expect(queue.publish({ event_type })).rejects.toBeInstanceOf(ValidationError);
    }
    const plans = [planAt("strategize/queued")];
    const change = { plans, events: { owner: "local", drafts: [draft("plan.imagined")] } };
    await expect(queue.commit(change)).rejects.toBeInstanceOf(ValidationError);
    await queue.commit({ plans });
    expect(await queue.getEvents()).toEqual([]);
  });

  it("gives the newest events, oldest of them first", async () => {
    const queue = new AcpEventQueue({ limits: { keepEvents: 150 } });
    await publishMany(queue, 250);
    expect(seqs(await queue.getEvents())).toEqual(upTo(250).slice(150));
    expect(seqs(await queue.getEvents(2))).toEqual([249, 250]);
    await queue.sweep();
    expect(seqs(await queue.getEvents(1_000))).toEqual(upTo(250).slice(100));
    for (const none of [0, -3, Number.NaN]) expect(await queue.getEvents(none)).toEqual([]);
  });

  it("forgets by itself as fast as events come", async () => {
    const queue = new AcpEventQueue({ clock: new FakeClock(), limits: { keepEvents: 100 } });
    for (let i = 0; i < 50; i += 1) {
      await publishMany(queue, 20);
      await nextTurn();
      const { oldest, newest } = await queue.store.eventBounds("local");
      expect(newest - oldest).toBeLessThanOrEqual(100 + 2 * 20);
    }
    expect((await queue.store.eventBounds("local")).newest).toBe(1_000);
    await queue.close();
  });
});

describe("callbacks", () => {
  it("get what passes their filter from now on, each with the one before", async () => {
    const queue = new AcpEventQueue();
    await queue.publish({ event_type: "x.a" });
    await queue.publish({ event_type: "x.b" });
    const all: AcpEvent[] = [];
    const some: AcpEvent[] = [];
    const theirs: AcpEvent[] = [];
    queue.subscribeLocal((event) => void all.push(event));
    queue.subscribeLocal((event) => void some.push(event), { types: ["x.a", "x.c.*"] });
    queue.subscribeLocal((event) => void theirs.push(event), {}, { owner: "other" });
    for (const event_type of ["x.b", "x.a", "x.c.d"]) await queue.publish({ event_type });
    await vi.waitFor(() => expect(some).toHaveLength(2));
    expect(shortly(all)).toBe("x.b 3, x.a 4, x.c.d 5");
    expect(all[0]).not.toHaveProperty("prev_seq");
    expect(some.map(({ seq, prev_seq }) => [seq, prev_seq])).toEqual([
      [4, 1],
      [5, 4],
    ]);
    await queue.commit({ events: { owner: "other", drafts: [draft("x.a")] } });
    await vi.waitFor(() => expect(theirs).toHaveLength(1));
    expect(all).toHaveLength(3);
    await queue.close();
  });

  it("refuse a type that no event has", () => {
    const queue = new AcpEventQueue();
    expect(() => queue.subscribeLocal(() => undefined, { types: ["plan.aplied"] })).toThrow(
      ValidationError,
    );
  });

  it("are called one after the other, and a promise is waited for", async () => {
    const queue = new AcpEventQueue();
    let running = 0;
    const seen: number[] = [];
    queue.subscribeLocal(async ({ seq }) => {
      running += 1;
      expect(running).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      seen.push(seq);
    });
    await publishMany(queue, 20);
    await vi.waitFor(() => expect(seen).toEqual(upTo(20)));
  });

  it("that are quick miss nothing of a burst larger than their buffer", async () => {
    const queue = new AcpEventQueue({ limits: { buffer: 10 } });
    const sync: number[] = [];
    const async: number[] = [];
    queue.subscribeLocal(({ seq }) => void sync.push(seq));
    queue.subscribeLocal(async ({ seq }) => void async.push(seq));
    await publishMany(queue, 5_000);
    await vi.waitFor(() => expect(async).toHaveLength(5_000));
    expect(sync).toEqual(upTo(5_000));
    expect(async).toEqual(upTo(5_000));
  });

  it("may publish, subscribe and unsubscribe", async () => {
    const queue = new AcpEventQueue();
    const late: number[] = [];
    const echoes: AcpEvent[] = [];
    const id = queue.subscribeLocal(async () => {
      expect(queue.unsubscribe(id)).toBe(true);
      queue.subscribeLocal(({ seq }) => void late.push(seq));
      echoes.push(await queue.publish({ event_type: "x.echo" }));
    });
    await publishMany(queue, 1);
    await vi.waitFor(() => expect(late).toEqual([2]));
    await vi.waitFor(() => expect(seqs(echoes)).toEqual([2]));
    expect(queue.unsubscribe(id)).toBe(false);
  });
});

describe("streams", () => {
  it("begin with a snapshot, then what came since and what comes", async () => {
    const queue = new AcpEventQueue();
    await publishMany(queue, 2, "x.old");
    const opened = await queue.open({}, LOCAL);
    expect(opened).toMatchObject({ cursor: 2, oldest: 1 });
    await publishMany(queue, 1, "x.between");
    const reader = startReader(queue, opened.subscription_id);
    await vi.waitFor(() => expect(shortly(reader.seen)).toBe("snapshot 2, x.between 3"));
    await publishMany(queue, 2, "x.new");
    await vi.waitFor(() => expect(reader.seen).toHaveLength(4));
    expect(shortly(reader.seen.slice(2))).toBe("x.new 4, x.new 5");
    reader.stop();
    expect(await reader.ended).toBe("ended");
  });

  it("show the state of what they filter, or what the facade says it is", async () => {
    const store = new MemoryFacadeStore();
    const queue = new AcpEventQueue({ store });
    const plan = planAt("execute/complete", { waiting_for: "plan.apply" });
    await queue.commit({ plans: [plan] });
    const filter = { planId: plan.plan_id };
    const first = await queue.open(filter, LOCAL);
    const reader = startReader(queue, first.subscription_id);
    await vi.waitFor(() => expect(reader.seen).toHaveLength(1));
    expect(reader.seen[0]).toMatchObject({
      event_type: "snapshot",
      plan_id: plan.plan_id,
      seq: 0,
      data: {
        subscription_id: first.subscription_id,
        cursor: 0,
        plan: { phase: "execute", state: "complete", version: 1, waiting_for: "plan.apply" },
      },
    });
    reader.stop();
    const second = await queue.open(filter, LOCAL);
    const snapshot = vi.fn(async () => ({ plan: { mine: true } }));
    const injected = startReader(queue, second.subscription_id, { snapshot });
    await vi.waitFor(() => expect(injected.seen[0]?.data).toMatchObject({ plan: { mine: true } }));
    expect(snapshot).toHaveBeenCalledWith(filter, LOCAL.principal);
    injected.stop();
  });

  it("that resume get the tail alone", async () => {
    const queue = new AcpEventQueue();
    await publishMany(queue, 5);
    const { subscription_id: id, cursor } = await queue.open({ after: 3 }, LOCAL);
    expect(cursor).toBe(3);
    const reader = startReader(queue, id);
    await vi.waitFor(() => expect(seqs(reader.seen)).toEqual([4, 5]));
    reader.stop();
    const fresh = await queue.open({}, LOCAL);
    const other = startReader(queue, fresh.subscription_id, { after: 4 });
    await vi.waitFor(() => expect(seqs(other.seen)).toEqual([5]));
    other.stop();
  });

  it("go on where the last reader stopped; what it had in hand comes again", async () => {
    const queue = new AcpEventQueue();
    const { subscription_id: id } = await queue.open({ after: 0 }, LOCAL);
    await publishMany(queue, 4);
    const signal = new AbortController().signal;
    const first: number[] = [];
    for await (const { seq } of queue.events(id, { ...LOCAL, signal })) {
      first.push(seq);
      if (seq === 2) break;
    }
    await publishMany(queue, 1);
    const second = startReader(queue, id);
    await vi.waitFor(() => expect(seqs(second.seen)).toEqual([2, 3, 4, 5]));
    second.stop();
  });

  it("end an older reader for a newer one", async () => {
    const queue = new AcpEventQueue();
    const { subscription_id: id } = await queue.open({ after: 0 }, LOCAL);
    const older = startReader(queue, id);
    await publishMany(queue, 1);
    await vi.waitFor(() => expect(older.seen).toHaveLength(1));
    const newer = startReader(queue, id);
    expect(await older.ended).toBe("ended");
    expect(older.seen.at(-1)).toMatchObject({
      event_type: "subscription.closed",
      data: { reason: "replaced", resume_after: 1 },
    });
    await publishMany(queue, 1);
    await vi.waitFor(() => expect(seqs(newer.seen)).toEqual([2]));
    newer.stop();
  });

  it("tell an older reader where it stands itself, not where the newer one is", async () => {
    const queue = new AcpEventQueue();
    const { subscription_id: id } = await queue.open({ after: 0 }, LOCAL);
    await publishMany(queue, 5);
    let goOn = (): void => undefined;
    const older = startReader(queue, id, {
      pause: ({ event_type: type, seq }) =>
        type === "x.many" && seq === 2
          ? new Promise((resolve) => (goOn = resolve))
          : Promise.resolve(),
    });
    await vi.waitFor(() => expect(seqs(older.seen)).toEqual([1, 2]));
    const newer = startReader(queue, id);
    await vi.waitFor(() => expect(seqs(newer.seen)).toEqual([2, 3, 4, 5]));
    goOn();
    await older.ended;
    expect(older.seen.at(-1)).toMatchObject({ seq: 2, data: { resume_after: 2 } });
    newer.stop();
  });

  it("whose filter lets nothing through stay young: they resume when all before is forgotten", async () => {
    const queue = new AcpEventQueue({ limits: { keepEvents: 10 } });
    await publishMany(queue, 2, "x.mine");
    const filter = { types: ["x.mine"] };
    const { subscription_id: id } = await queue.open({ ...filter, after: 0 }, LOCAL);
    const reached: number[] = [];
    let goOn = (): void => undefined;
    const reader = startReader(queue, id, {
      reached: (seq) => void reached.push(seq),
      pause: ({ seq }) =>
        seq === 22 ? new Promise((resolve) => (goOn = resolve)) : Promise.resolve(),
    });
    await vi.waitFor(() => expect(reader.seen).toHaveLength(2));
    await publishMany(queue, 19, "x.noise");
    await vi.waitFor(() => expect(reached.at(-1)).toBe(21));
    // While an event is in hand nothing is passed over; afterwards all that came meanwhile is.
    await publishMany(queue, 1, "x.mine");
    await vi.waitFor(() => expect(seqs(reader.seen)).toEqual([1, 2, 22]));
    await publishMany(queue, 30, "x.noise");
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
    expect(reached.at(-1)).toBe(21);
    goOn();
    await vi.waitFor(() => expect(reached.at(-1)).toBe(52));
    reader.stop();
    await reader.ended;
    await queue.sweep();
    expect(queue.subscription(id, LOCAL.principal).cursor).toBe(52);
    const again = await queue.open({ ...filter, after: 52 }, LOCAL);
    const resumed = startReader(queue, again.subscription_id);
    await publishMany(queue, 1, "x.mine");
    await vi.waitFor(() => expect(seqs(resumed.seen)).toEqual([53]));
    expect(reached.toSorted((a, b) => a - b)).toEqual(reached);
    resumed.stop();
  });

  it("stop at once when the signal aborts, also while the snapshot is made", async () => {
    const queue = new AcpEventQueue();
    const { subscription_id: id } = await queue.open({}, LOCAL);
    const reader = startReader(queue, id, { snapshot: () => new Promise(() => undefined) });
    await Promise.resolve();
    reader.stop();
    expect(await reader.ended).toBe("ended");
    expect(reader.seen).toEqual([]);
  });

  it("belong to their owner", async () => {
    const queue = new AcpEventQueue();
    const { subscription_id: id } = await queue.open({}, LOCAL);
    const signal = new AbortController().signal;
    expect(() => queue.events(id, { ...as("other"), signal })).toThrow(ResourceNotFoundError);
    expect(await queue.release(id, as("other"))).toBe(false);
    expect(await queue.release(id, LOCAL)).toBe(true);
    expect(await queue.release(id, LOCAL)).toBe(false);
    expect(() => queue.events(id, { ...LOCAL, signal })).toThrow(ResourceNotFoundError);
  });

  it("cannot be opened for what belongs to somebody else", async () => {
    const queue = new AcpEventQueue();
    const plan = planAt("execute/queued");
    await queue.commit({ plans: [plan] });
    const filter = { planId: plan.plan_id };
    await expect(queue.open(filter, LOCAL)).resolves.toBeDefined();
    await expect(queue.open(filter, as("other"))).rejects.toBeInstanceOf(ResourceNotFoundError);
    await expect(queue.list({ ...filter, limit: 1 }, as("other"))).rejects.toBeInstanceOf(
      ResourceNotFoundError,
    );
    await expect(queue.open({ sessionId: "none" }, LOCAL)).rejects.toBeInstanceOf(
      ResourceNotFoundError,
    );
    await expect(queue.open({ types: ["plam.*"] }, LOCAL)).rejects.toBeInstanceOf(ValidationError);
  });

  it("are closed when nobody reads them for 5 minutes", async () => {
    const clock = new FakeClock();
    const queue = new AcpEventQueue({ clock });
    const unread = await queue.open({}, LOCAL);
    const waiting = await queue.open({ after: 0 }, LOCAL);
    const stuck = await queue.open({ after: 0 }, LOCAL);
    let goOn = (): void => undefined;
    const pause = ({ event_type: type }: AcpEvent): Promise<void> =>
      type === "x.many" ? new Promise((resolve) => (goOn = resolve)) : Promise.resolve();
    const waitingReader = startReader(queue, waiting.subscription_id);
    const stuckReader = startReader(queue, stuck.subscription_id, { pause });
    await publishMany(queue, 1);
    await vi.waitFor(() => expect(stuckReader.seen).toHaveLength(1));
    clock.advance(5 * 60_000 - 1);
    await queue.sweep();
    expect(() =>
      queue.events(unread.subscription_id, { ...LOCAL, signal: AbortSignal.abort() }),
    ).not.toThrow();
    clock.advance(1);
    await queue.sweep();
    for (const { subscription_id: id } of [unread, stuck]) {
      expect(() => queue.events(id, { ...LOCAL, signal: AbortSignal.abort() })).toThrow(
        "It may have ended".toLowerCase(),
      );
    }
    goOn();
    expect(await stuckReader.ended).toBe("ended");
    expect(stuckReader.seen.at(-1)).toMatchObject({
      event_type: "subscription.closed",
      data: { reason: "unread", resume_after: 1 },
    });
    // Waiting for an event is reading.
    await publishMany(queue, 1);
    await vi.waitFor(() => expect(seqs(waitingReader.seen)).toEqual([1, 2]));
    waitingReader.stop();
  });

  it("are limited in number per owner", async () => {
    const queue = new AcpEventQueue({ limits: { subscriptions: 2 } });
    const { subscription_id: id } = await queue.open({}, LOCAL);
    await queue.open({}, LOCAL);
    await expect(queue.open({}, LOCAL)).rejects.toMatchObject({ code: "FACADE_RATE_LIMITED" });
    await queue.open({}, as("other"));
    await queue.release(id, LOCAL);
    await queue.open({}, LOCAL);
  });

  it("say that they end when the queue is closed", async () => {
    const queue = new AcpEventQueue();
    const { subscription_id: id } = await queue.open({ after: 0 }, LOCAL);
    const reader = startReader(queue, id);
    await publishMany(queue, 1);
    await queue.close();
    expect(await reader.ended).toBe("ended");
    expect(shortly(reader.seen)).toBe("x.many 1, subscription.closed 1");
    expect(reader.seen[1]?.data).toMatchObject({ reason: "shutdown", resume_after: 1 });
  });
});

describe("a publisher that never pauses", () => {
  it("leaves streams and callbacks the time to read everything", async () => {
    const queue = new AcpEventQueue({ limits: { buffer: 100 } });
    const { subscription_id: id } = await queue.open({ after: 0 }, LOCAL);
    const reader = startReader(queue, id);
    const called: number[] = [];
    queue.subscribeLocal(async ({ seq }) => void called.push(seq));
    for (let i = 0; i < 100; i += 1) await publishMany(queue, 30);
    await vi.waitFor(() => expect(reader.seen).toHaveLength(3_000));
    expect(seqs(reader.seen)).toEqual(upTo(3_000));
    await vi.waitFor(() => expect(called).toEqual(upTo(3_000)));
    reader.stop();
  });
});

describe("slow subscribers", () => {
  it("of a callback are told where to resume, and dropped", async () => {
    const { logger, lines } = warnings();
    const queue = new AcpEventQueue({ limits: { buffer: 4 }, logger });
    let goOn = (): void => undefined;
    const seen: AcpEvent[] = [];
    const id = queue.subscribeLocal((event) => {
      seen.push(event);
      if (event.seq === 2) return new Promise<void>((resolve) => (goOn = resolve));
      return undefined;
    });
    for (let i = 0; i < 6; i += 1) await publishMany(queue, 1);
    await vi.waitFor(() => expect(seqs(seen)).toEqual([1, 2]));
    // Four wait: nothing is lost yet.
    goOn();
    await vi.waitFor(() => expect(seqs(seen)).toEqual(upTo(6)));
    seen.length = 0;
    const slow = queue.subscribeLocal((event) => {
      seen.push(event);
      return event.seq === 8 ? new Promise<void>((resolve) => (goOn = resolve)) : undefined;
    });
    queue.unsubscribe(id);
    for (let i = 0; i < 7; i += 1) await publishMany(queue, 1);
    await vi.waitFor(() => expect(lines.join()).toContain("too slow"));
    expect(queue.unsubscribe(slow)).toBe(false);
    goOn();
    await vi.waitFor(() => expect(shortly(seen)).toBe("x.many 7, x.many 8, subscription.lagged 8"));
    expect(seen.at(-1)?.data).toEqual({ subscription_id: slow, resume_after: 8 });
  });

  it("of a stream resume without loss", async () => {
    const queue = new AcpEventQueue({ limits: { buffer: 4 } });
    const { subscription_id: id } = await queue.open({ after: 0 }, LOCAL);
    let goOn = (): void => undefined;
    const reader = startReader(queue, id, {
      pause: ({ event_type: type, seq }) =>
        type === "x.many" && seq === 2
          ? new Promise((resolve) => (goOn = resolve))
          : Promise.resolve(),
    });
    await publishMany(queue, 1);
    await vi.waitFor(() => expect(reader.seen).toHaveLength(1));
    // As long as it reads what the log holds, it cannot lag: it must have caught up.
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    await publishMany(queue, 1);
    await vi.waitFor(() => expect(reader.seen).toHaveLength(2));
    for (let i = 0; i < 8; i += 1) await publishMany(queue, 1);
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    goOn();
    expect(await reader.ended).toBe("ended");
    const lagged = reader.seen.at(-1);
    expect(lagged).toMatchObject({ event_type: "subscription.lagged", seq: 2 });
    const after = Number(lagged?.data["resume_after"]);
    const resumed = await queue.open({ after }, LOCAL);
    const rest = startReader(queue, resumed.subscription_id);
    await vi.waitFor(() => expect(seqs(rest.seen)).toEqual(upTo(10).slice(2)));
    rest.stop();
  });
});
