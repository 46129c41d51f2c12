import { type Clock, silentLogger, systemClock } from "@acumen/core";
import { FakeClock } from "@acumen/testkit";
import { describe, expect, test, vi } from "vitest";
import { LOCAL_PRINCIPAL } from "../../src/access/principal.ts";
import { AcpLocalFacade } from "../../src/dispatch/acp-local-facade.ts";
import {
  type LocalSubscriptionLimits,
  LocalSubscriptions,
} from "../../src/dispatch/local-subscriptions.ts";
import type { AcpEvent } from "../../src/envelope/acp-event.ts";
import type { EventQueueService } from "../../src/services/event-queue-service.ts";

type Callback = (event: AcpEvent) => void | Promise<void>;
const unused = (): Promise<never> => Promise.reject(new Error("unused"));

/** As the protocol's reference describes one: it calls back at once, with every event, and knows no filter. */
function seedQueue() {
  const callbacks = new Map<string, Callback>();
  return {
    callbacks,
    publish: (event: object) => {
      for (const callback of callbacks.values()) void callback(event as AcpEvent);
    },
    queue: {
      subscribeLocal: (callback: Callback) => {
        const id = `sub-${callbacks.size + 1}`;
        callbacks.set(id, callback);
        return id;
      },
      unsubscribe: (id: string) => callbacks.delete(id),
    },
  };
}

function facadeWith(queue: EventQueueService): AcpLocalFacade {
  return new AcpLocalFacade({
    services: {
      session_service: { create: unused, delete: unused },
      plan_lifecycle_service: {
        useAction: unused,
        executePlan: unused,
        getPlan: unused,
        applyPlan: unused,
      },
      event_queue: queue,
    },
  });
}

/** The next events, without frames of others. */
async function take(events: AsyncIterator<AcpEvent>, count: number): Promise<AcpEvent[]> {
  const taken: AcpEvent[] = [];
  while (taken.length < count) {
    const { value, done } = await events.next();
    if (done === true) break;
    taken.push(value);
  }
  return taken;
}

describe("event.subscribe over a queue that only calls back", () => {
  test("gives what the queue publishes, filtered, with what its events lack", async () => {
    const { queue, publish, callbacks } = seedQueue();
    await using facade = facadeWith(queue);
    const { data, error } = await facade.dispatch({
      operation: "event.subscribe",
      params: { types: ["plan.*"], plan_id: "p" },
    });
    expect(error).toBeNull();
    expect(data).toEqual({
      subscription_id: "sub-1",
      status: "active",
      cursor: 0,
      oldest: 0,
      stream_url: null,
    });
    publish({ event_type: "session.created" });
    publish({ event_type: "plan.created", plan_id: "p", data: { n: 1 } });
    publish({ event_type: "plan.created", plan_id: "q" });
    publish({ event_type: 7 });
    const events = facade.events("sub-1")[Symbol.asyncIterator]();
    const [snapshot, first] = await take(events, 2);
    expect(snapshot).toMatchObject({
      event_type: "snapshot",
      data: { subscription_id: "sub-1", cursor: 0 },
    });
    expect(first).toEqual({
      event_id: expect.stringMatching(/^[0-9A-Z]{26}$/),
      event_type: "plan.created",
      plan_id: "p",
      session_id: null,
      data: { n: 1 },
      timestamp: expect.stringMatching(/Z$/),
      seq: 2,
    });
    const waiting = events.next();
    const full = {
      event_id: "E",
      event_type: "plan.applied",
      plan_id: "p",
      session_id: "s",
      data: {},
      timestamp: "2026-01-01T00:00:00.000Z",
      seq: 41,
    };
    publish(full);
    expect((await waiting).value).toEqual(full);
    const params = { subscription_id: "sub-1" };
    const released = await facade.dispatch({ operation: "event.unsubscribe", params });
    expect(released.data).toMatchObject({ status: "closed" });
    expect((await take(events, 9)).map(({ event_type: type, data: why }) => [type, why])).toEqual([
      ["subscription.closed", { subscription_id: "sub-1", reason: "released", resume_after: 41 }],
    ]);
    expect(callbacks.size).toBe(0);
    const again = await facade.dispatch({ operation: "event.unsubscribe", params });
    expect(again.error?.code).toBe("NOT_FOUND");
  });

  test("cannot resume what nobody keeps, and says so", async () => {
    await using facade = facadeWith(seedQueue().queue);
    const { error } = await facade.dispatch({ operation: "event.subscribe", params: { after: 3 } });
    expect(error).toMatchObject({ code: "NOT_AVAILABLE", details: { service: "event_queue" } });
    const list = await facade.dispatch({ operation: "event.list" });
    expect(list.error).toMatchObject({ code: "NOT_AVAILABLE", details: { method: "list" } });
  });

  test("shows no event to another owner, and no subscription either", async () => {
    await using facade = facadeWith(seedQueue().queue);
    const principal = { ...LOCAL_PRINCIPAL, owner: "ci" };
    const { error } = await facade.dispatch({ operation: "event.subscribe" }, { principal });
    expect(error?.code).toBe("NOT_AVAILABLE");
    await facade.dispatch({ operation: "event.subscribe" });
    expect(() => facade.events("sub-1", { principal })).toThrow(/no subscription sub-1/);
    const release = { operation: "event.unsubscribe", params: { subscription_id: "sub-1" } };
    expect((await facade.dispatch(release, { principal })).error?.code).toBe("NOT_FOUND");
  });

  test("ends with the facade, and with the queue in whose place another one is registered", async () => {
    const first = seedQueue();
    const second = seedQueue();
    const facade = facadeWith(first.queue);
    await facade.dispatch({ operation: "event.subscribe" });
    const old = facade.events("sub-1")[Symbol.asyncIterator]();
    await take(old, 1);
    const waiting = take(old, 9);
    facade.registerService("event_queue", second.queue);
    expect((await waiting).map(({ data }) => data["reason"])).toEqual(["shutdown"]);
    expect(first.callbacks.size).toBe(0);
    await facade.dispatch({ operation: "event.subscribe" });
    expect(second.callbacks.size).toBe(1);
    await facade.close();
    expect(second.callbacks.size).toBe(0);
  });

  test("a reader ends when its signal aborts, and the next one goes on where it stopped", async () => {
    const { queue, publish } = seedQueue();
    await using facade = facadeWith(queue);
    await facade.dispatch({ operation: "event.subscribe" });
    const stop = new AbortController();
    const first = facade.events("sub-1", { signal: stop.signal })[Symbol.asyncIterator]();
    publish({ event_type: "x.one" });
    expect((await take(first, 2)).at(-1)?.event_type).toBe("x.one");
    const waiting = take(first, 1);
    stop.abort();
    expect(await waiting).toEqual([]);
    publish({ event_type: "x.two" });
    const second = facade.events("sub-1")[Symbol.asyncIterator]();
    const [two] = await take(second, 1);
    expect(two?.event_type).toBe("x.two");
    const replaced = take(second, 1);
    const third = facade.events("sub-1")[Symbol.asyncIterator]();
    const next = take(third, 1);
    expect((await replaced)[0]?.data).toMatchObject({ reason: "replaced" });
    publish({ event_type: "x.three" });
    expect((await next)[0]?.event_type).toBe("x.three");
  });
});

function limited(limits: LocalSubscriptionLimits, clock: Clock = systemClock) {
  const seed = seedQueue();
  const queue = new LocalSubscriptions(seed.queue, { clock, logger: silentLogger, limits });
  const caller = { principal: LOCAL_PRINCIPAL };
  const { signal } = new AbortController();
  const read = (id: string) => queue.events(id, { ...caller, signal })[Symbol.asyncIterator]();
  return { ...seed, queue, caller, read };
}

describe("what nobody reads is bounded", () => {
  test("a reader that is too slow gets what was kept, is told, and is dropped", async () => {
    const { queue, publish, callbacks, caller, read } = limited({ buffer: 2 });
    const { subscription_id: id } = await queue.open({}, caller);
    for (const name of ["x.1", "x.2", "x.3", "x.4"]) publish({ event_type: name });
    const events = await take(read(id), 9);
    expect(events.map(({ event_type: type }) => type)).toEqual([
      "snapshot",
      "x.1",
      "x.2",
      "subscription.lagged",
    ]);
    expect(events.at(-1)?.data).toEqual({ subscription_id: id, resume_after: 2 });
    expect(callbacks.size).toBe(0);
    expect(() => read(id)).toThrow(/no subscription/);
  });

  test("one that is unread for 5 minutes is closed, one that is read is not", async () => {
    const clock = new FakeClock();
    const { queue, callbacks, caller, read } = limited({}, clock);
    const unread = await queue.open({}, caller);
    const { subscription_id: id } = await queue.open({}, caller);
    const events = read(id);
    await take(events, 1);
    const waiting = take(events, 1);
    clock.advance(5 * 60_000 - 1);
    await queue.open({}, caller);
    expect(callbacks.size).toBe(3);
    clock.advance(1);
    expect(() => read(unread.subscription_id)).toThrow(/no subscription/);
    expect([...callbacks.keys()]).toEqual(["sub-2", "sub-3"]);
    queue.close();
    expect((await waiting)[0]?.data).toMatchObject({ reason: "shutdown" });
  });

  test("no more are open than are allowed", async () => {
    const { queue, caller } = limited({ subscriptions: 1 });
    const { subscription_id: id } = await queue.open({}, caller);
    await expect(queue.open({}, caller)).rejects.toMatchObject({ code: "FACADE_RATE_LIMITED" });
    expect(await queue.release(id, caller)).toBe(true);
    await queue.open({}, caller);
    queue.close();
  });

  test("a queue whose ids cannot be told apart gets others, and one that fails to end is not waited for", async () => {
    const warn = vi.fn<() => void>();
    const queue = new LocalSubscriptions(
      { subscribeLocal: () => "same", unsubscribe: unused },
      { clock: systemClock, logger: { ...silentLogger, warn } },
    );
    const caller = { principal: LOCAL_PRINCIPAL };
    const one = await queue.open({}, caller);
    const other = await queue.open({}, caller);
    expect(one.subscription_id).toBe("same");
    expect(other.subscription_id).toMatch(/^[0-9A-Z]{26}$/);
    queue.close();
    await vi.waitFor(() => expect(warn).toHaveBeenCalledTimes(2));
  });
});
