import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { AcpEvent } from "../../src/envelope/acp-event.ts";
import { AcpEventQueue } from "../../src/events/acp-event-queue.ts";
import { eventMatcher, isFiltering } from "../../src/events/event-filter.ts";
import type { EventFilter } from "../../src/services/event-queue-service.ts";
import type { EventPage, EventQuery, FacadeStore } from "../../src/store/facade-store.ts";
import { MemoryFacadeStore } from "../../src/store/memory-facade-store.ts";
import { STORES } from "../support/facade-stores.ts";
import { draft, LOCAL, startReader, type Reader } from "./support.ts";

const TYPES = ["x.a", "x.b.c", "tool.invoked"];
const FILTERS: readonly EventFilter[] = [
  {},
  { types: ["x.a"] },
  { types: ["x.*"] },
  { types: ["*"] },
  { types: ["tool.*", "x.b.*"] },
  { types: ["x.none"] },
];

type Step =
  | { readonly do: "commit"; readonly types: readonly number[]; readonly owner: "local" | "other" }
  | { readonly do: "join"; readonly filter: number; readonly kind: "callback" | "stream" }
  | { readonly do: "leave" | "resume"; readonly who: number }
  | { readonly do: "wait" };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant("commit" as const),
        types: fc.array(fc.nat({ max: TYPES.length - 1 }), { minLength: 1, maxLength: 12 }),
        owner: fc.constantFrom("local" as const, "local" as const, "other" as const),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant("join" as const),
        filter: fc.nat({ max: FILTERS.length - 1 }),
        kind: fc.constantFrom("callback" as const, "stream" as const),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constantFrom("leave" as const, "resume" as const),
        who: fc.nat({ max: 20 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("wait" as const) }) },
  ),
  { minLength: 1, maxLength: 40 },
);

/** Somebody who follows the log, over as many connections as it takes, and must end with exactly what a reader of the log sees. */
interface Follower {
  readonly filter: EventFilter;
  /** Its events have a greater seq. */
  readonly after: number;
  /** Undefined: to the end. */
  until: number | undefined;
  readonly events: () => readonly AcpEvent[];
  readonly leave: () => void;
  readonly resume: () => Promise<void>;
}

async function joinStream(queue: AcpEventQueue, filter: EventFilter): Promise<Follower> {
  const earlier: AcpEvent[] = [];
  const { subscription_id: id, cursor: after } = await queue.open(filter, LOCAL);
  let reader: Reader = startReader(queue, id);
  const logged = (): AcpEvent[] =>
    reader.seen.filter(({ event_type: type }) => type !== "snapshot");
  return {
    filter,
    after,
    until: undefined,
    events: () => [...earlier, ...logged()],
    leave: () => reader.stop(),
    resume: async () => {
      reader.stop();
      earlier.push(...logged());
      const position = earlier.at(-1)?.seq ?? after;
      const opened = await queue.open({ ...filter, after: position }, LOCAL);
      reader = startReader(queue, opened.subscription_id);
    },
  };
}

function joinCallback(queue: AcpEventQueue, filter: EventFilter, after: number): Follower {
  const events: AcpEvent[] = [];
  const id = queue.subscribeLocal((event) => void events.push(event), filter);
  const leave = (): void => void queue.unsubscribe(id);
  return {
    filter,
    after,
    until: undefined,
    events: () => events,
    leave,
    resume: async () => undefined,
  };
}

async function logOf(store: FacadeStore, filter: EventFilter): Promise<readonly AcpEvent[]> {
  const { events } = await store.events({ ...filter, owner: "local", limit: 10_000 });
  return events;
}

async function check(store: FacadeStore, follower: Follower): Promise<void> {
  const { filter, after, until } = follower;
  const matches = eventMatcher(filter);
  const due = (await logOf(store, filter)).filter(({ seq }) => seq > after);
  const got = follower.events();
  if (until === undefined) expect(got).toEqual(due);
  else {
    // Whoever left may have missed the last ones, and nothing else.
    expect(got).toEqual(due.slice(0, got.length));
    expect(got.length).toBeLessThanOrEqual(due.length);
  }
  expect(got.every(matches)).toBe(true);
  if (isFiltering(filter)) {
    got.slice(1).forEach((event, i) => expect(event.prev_seq).toBe(got[i]?.seq));
  }
}

/** Its pages take a moment to arrive: events come out while they are on their way. */
function distant(store: FacadeStore): FacadeStore {
  return new Proxy(store, {
    get: (target, key) => {
      if (key !== "events") {
        const value: unknown = Reflect.get(target, key);
        return typeof value === "function" ? value.bind(target) : value;
      }
      return async (query: EventQuery): Promise<EventPage> => {
        const page = await target.events(query);
        // A callback looks up one event before its first; with buffers as small as here it would lag.
        if (query.limit === 1) return page;
        await nextTurn();
        await nextTurn();
        return page;
      };
    },
  });
}

async function play(store: FacadeStore, plan: readonly Step[]): Promise<void> {
  // So small that what is committed goes out in several slices, and somebody joins or resumes between them.
  const queue = new AcpEventQueue({ store, limits: { buffer: 8 } });
  const followers: Follower[] = [];
  const pending: Promise<unknown>[] = [];
  for (const step of plan) {
    if (step.do === "commit") {
      const drafts = step.types.map((type) =>
        draft(TYPES[type] ?? "x.a", { data: { call_id: "c", tool: "bash" } }),
      );
      // Not waited for: what joins now joins in the middle.
      pending.push(queue.commit({ events: { owner: step.owner, drafts } }));
    } else if (step.do === "join") {
      const filter = FILTERS[step.filter] ?? {};
      if (step.kind === "stream") followers.push(await joinStream(queue, filter));
      else {
        await Promise.all(pending);
        const { newest } = await store.eventBounds("local");
        followers.push(joinCallback(queue, filter, newest));
      }
    } else if (step.do === "wait") await nextTurn();
    else {
      const follower = followers[step.who % Math.max(1, followers.length)];
      if (follower === undefined || follower.until !== undefined) continue;
      if (step.do === "resume") await follower.resume();
      else {
        follower.leave();
        follower.until = (await store.eventBounds("local")).newest;
      }
    }
  }
  await Promise.all(pending);
  for (const follower of followers) {
    await vi.waitFor(() => check(store, follower), { timeout: 5_000, interval: 1 });
  }
  await queue.close();
}

it("what is handed out while a page is on its way is not missed", async () => {
  const store = new MemoryFacadeStore();
  let asked = false;
  let arrive = (): void => undefined;
  const held = new Proxy(store, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      if (key !== "events") return typeof value === "function" ? value.bind(target) : value;
      return async (query: EventQuery): Promise<EventPage> => {
        const isFirst = !asked;
        asked = true;
        const page = await target.events(query);
        if (isFirst) await new Promise<void>((resolve) => (arrive = resolve));
        return page;
      };
    },
  });
  const queue = new AcpEventQueue({ store: held });
  const { subscription_id: id } = await queue.open({ after: 0 }, LOCAL);
  const reader = startReader(queue, id);
  await nextTurn();
  await queue.publish({ event_type: "x.a" });
  await nextTurn();
  expect(reader.seen).toEqual([]);
  arrive();
  await vi.waitFor(() => expect(reader.seen).toHaveLength(1));
  await queue.publish({ event_type: "x.b" });
  await vi.waitFor(() => expect(reader.seen.map(({ seq }) => seq)).toEqual([1, 2]));
  reader.stop();
  await queue.close();
});

describe.each(STORES)("whoever follows the log of the $name store", ({ open }) => {
  it(
    "gets each event once and in order, whenever it joins, leaves or resumes",
    { timeout: 120_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(steps, fc.boolean(), async (plan, isDistant) => {
          await using opened = await open();
          await play(isDistant ? distant(opened.store) : opened.store, plan);
        }),
        { numRuns: 40 },
      );
    },
  );

  it("gets everything as one of 100, half of them filtered", async () => {
    await using opened = await open();
    const { store } = opened;
    const queue = new AcpEventQueue({ store });
    const followers: Follower[] = [];
    for (let i = 0; i < 100; i += 1) {
      const filter = FILTERS[i % FILTERS.length] ?? {};
      const isStream = i % 3 === 0;
      followers.push(isStream ? await joinStream(queue, filter) : joinCallback(queue, filter, 0));
    }
    const commits = Array.from({ length: 60 }, (_, i) => {
      const drafts = TYPES.map((type) => draft(type, { data: { call_id: `${i}`, tool: "bash" } }));
      return queue.commit({ events: { owner: "local", drafts } });
    });
    await Promise.all(commits);
    for (const follower of followers) {
      await vi.waitFor(() => check(store, follower), { timeout: 20_000, interval: 5 });
    }
    await queue.close();
  });
});
