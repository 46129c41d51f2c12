import { FakeClock } from "@acumen/testkit";
import { describe, expect, it } from "vitest";
import type { AcpEventDraft } from "../../src/envelope/acp-event.ts";
import { ConflictError, ValidationError } from "../../src/errors/domain-error.ts";
import type { FacadeSession } from "../../src/sessions/facade-session.ts";
import type { IdempotencyRecord, TokenRecord } from "../../src/store/facade-store.ts";
import { STORES } from "../support/facade-stores.ts";
import { planAt } from "../support/plan-at.ts";

const NOW = "2026-01-01T00:00:00.000Z";

function session(id: string, patch: Partial<FacadeSession> = {}): FacadeSession {
  return {
    session_id: id,
    owner: "local",
    status: "open",
    actor_name: null,
    title: "",
    profile: null,
    created_at: NOW,
    updated_at: NOW,
    closed_at: null,
    version: 1,
    ...patch,
  };
}

function draft(type: string, patch: Partial<AcpEventDraft> = {}): AcpEventDraft {
  return { event_type: type, data: {}, ...patch };
}

function eventsOf(owner: string, drafts: readonly AcpEventDraft[]) {
  return { events: { owner, drafts } };
}

describe.each(STORES)("records of the $name store", ({ open, name }) => {
  it("says what it is", async () => {
    await using opened = await open();
    expect(opened.store.kind).toBe(name);
  });

  it("gives back what was committed, to its owner alone", async () => {
    await using opened = await open();
    const { store } = opened;
    const plan = planAt("strategize/queued", { session_id: "s" });
    await store.commit({ sessions: [session("s")], plans: [plan] });
    expect(await store.session("local", "s")).toEqual(session("s"));
    expect(await store.plan("local", plan.plan_id)).toEqual(plan);
    expect(await store.session("other", "s")).toBeUndefined();
    expect(await store.plan("other", plan.plan_id)).toBeUndefined();
    // The same id of another owner is another record.
    await store.commit({ sessions: [session("s", { owner: "other", title: "mine" })] });
    expect((await store.session("other", "s"))?.title).toBe("mine");
    expect((await store.session("local", "s"))?.title).toBe("");
  });

  it.each([
    ["made twice", 1],
    ["of the version that is there", 2],
    ["of a version after the next", 4],
  ])("refuses a record %s, with all that came along", async (_what, version) => {
    await using opened = await open();
    const { store } = opened;
    await store.commit({ sessions: [session("s")] });
    await store.commit({ sessions: [session("s", { version: 2, title: "two" })] });
    const change = {
      sessions: [session("new"), session("s", { version, title: "lost" })],
      plans: [planAt("strategize/queued")],
      ...eventsOf("local", [draft("x.lost")]),
    };
    await expect(store.commit(change)).rejects.toBeInstanceOf(ConflictError);
    expect((await store.session("local", "s"))?.title).toBe("two");
    expect(await store.session("local", "new")).toBeUndefined();
    expect(await store.plan("local", planAt("strategize/queued").plan_id)).toBeUndefined();
    expect((await store.events({ owner: "local", limit: 10 })).events).toEqual([]);
    const { events } = await store.commit(eventsOf("local", [draft("x.first")]));
    expect(events[0]?.seq).toBe(1);
  });

  it("refuses a change of a record that was never made", async () => {
    await using opened = await open();
    const change = { sessions: [session("s", { version: 2 })] };
    await expect(opened.store.commit(change)).rejects.toBeInstanceOf(ConflictError);
    expect(await opened.store.session("local", "s")).toBeUndefined();
  });

  it("lets one of many writers of a version win", async () => {
    await using opened = await open();
    const { store } = opened;
    await store.commit({ sessions: [session("s")] });
    const tries = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) =>
        store.commit({ sessions: [session("s", { version: 2, title: `${i}` })] }),
      ),
    );
    expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  it("keeps nobody's way to change a record", async () => {
    await using opened = await open();
    const { store } = opened;
    const mine = { ...session("s") };
    await store.commit({ sessions: [mine] });
    mine.title = "changed behind its back";
    const read = await store.session("local", "s");
    try {
      if (read !== undefined) Object.assign(read, { title: "changed" });
    } catch {
      // A frozen record is fine too.
    }
    expect((await store.session("local", "s"))?.title).toBe("");
  });

  it("pages newest first, each once, whatever is added meanwhile", async () => {
    await using opened = await open();
    const { store } = opened;
    const ids = Array.from({ length: 7 }, (_, i) => `s${i}`);
    for (const id of ids) await store.commit({ sessions: [session(id)] });
    await store.commit({ sessions: [session("theirs", { owner: "other" })] });
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await store.sessions({ owner: "local", limit: 3, ...(cursor && { cursor }) });
      seen.push(...page.items.map(({ session_id: id }) => id));
      cursor = page.nextCursor;
      await store.commit({ sessions: [session(`later${seen.length}`)] });
    } while (cursor !== null);
    expect(seen).toEqual(ids.toReversed());
  });

  it("ends with a full page when nothing is left", async () => {
    await using opened = await open();
    for (const id of ["a", "b"]) await opened.store.commit({ sessions: [session(id)] });
    const page = await opened.store.sessions({ owner: "local", limit: 2 });
    expect(page.items).toHaveLength(2);
    expect(page.nextCursor).toBeNull();
  });

  it.each([{ cursor: "x" }, { cursor: "-1" }, { limit: 0 }, { limit: 201 }, { limit: 1.5 }])(
    "refuses the page %o",
    async (query) => {
      await using opened = await open();
      const { store } = opened;
      const asked = { owner: "local", limit: 10, ...query };
      await expect(store.sessions(asked)).rejects.toBeInstanceOf(ValidationError);
      await expect(store.plans(asked)).rejects.toBeInstanceOf(ValidationError);
    },
  );

  it("filters sessions by status, and plans by phase, state, session and project", async () => {
    await using opened = await open();
    const { store } = opened;
    await store.commit({ sessions: [session("a"), session("b", { status: "closed" })] });
    const elsewhere = { ...planAt("strategize/queued").project, path: "/elsewhere" };
    const plans = [
      planAt("strategize/queued", { plan_id: "p1", session_id: "a" }),
      planAt("execute/queued", { plan_id: "p2" }),
      planAt("execute/complete", { plan_id: "p3", session_id: "a", project: elsewhere }),
      planAt("apply/applied", { plan_id: "p4" }),
    ];
    await store.commit({ plans });
    const sessions = await store.sessions({ owner: "local", limit: 9, status: "closed" });
    expect(sessions.items.map(({ session_id: id }) => id)).toEqual(["b"]);
    const found = async (query: object): Promise<string[]> => {
      const { items } = await store.plans({ owner: "local", limit: 9, ...query });
      return items.map(({ plan_id: id }) => id);
    };
    expect(await found({})).toEqual(["p4", "p3", "p2", "p1"]);
    expect(await found({ phase: "execute" })).toEqual(["p3", "p2"]);
    expect(await found({ states: ["queued", "applied"] })).toEqual(["p4", "p2", "p1"]);
    expect(await found({ states: [] })).toEqual([]);
    expect(await found({ sessionId: "a" })).toEqual(["p3", "p1"]);
    expect(await found({ project: "/elsewhere", states: ["complete"] })).toEqual(["p3"]);
    expect(await found({ owner: "other" })).toEqual([]);
    // A filter looks at what the record is now.
    await store.commit({ plans: [planAt("execute/processing", { plan_id: "p2", version: 2 })] });
    expect(await found({ states: ["processing"] })).toEqual(["p2"]);
    expect(await found({ phase: "execute", states: ["queued"] })).toEqual([]);
  });

  it("finds unfinished plans of every owner, oldest change first", async () => {
    await using opened = await open();
    const { store } = opened;
    const at = (minute: number): string => `2026-01-01T00:0${minute}:00.000Z`;
    await store.commit({
      plans: [
        planAt("execute/queued", { plan_id: "p1", updated_at: at(3) }),
        planAt("apply/processing", { plan_id: "p2", owner: "other", updated_at: at(1) }),
        planAt("apply/applied", { plan_id: "p3", updated_at: at(0) }),
        planAt("execute/queued", { plan_id: "p4", updated_at: at(3) }),
      ],
    });
    const plans = await store.unfinishedPlans(["queued", "processing"]);
    expect(plans.map(({ plan_id: id }) => id)).toEqual(["p2", "p1", "p4"]);
  });
});

describe.each(STORES)("events of the $name store", ({ open }) => {
  it("numbers the log of each owner without gaps", async () => {
    const clock = new FakeClock();
    await using opened = await open(clock);
    const { store } = opened;
    const plan = { plan_id: "p", session_id: "s", data: { a: [1, { b: null }] } };
    const first = await store.commit(eventsOf("local", [draft("x.a", plan), draft("x.b")]));
    await store.commit(eventsOf("other", [draft("x.c")]));
    const third = await store.commit(eventsOf("local", [draft("x.d")]));
    expect([...first.events, ...third.events].map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(first.events[0]).toEqual({
      event_id: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/) as string,
      event_type: "x.a",
      plan_id: "p",
      session_id: "s",
      data: { a: [1, { b: null }] },
      timestamp: clock.now().toISOString(),
      seq: 1,
    });
    const page = await store.events({ owner: "local", limit: 10 });
    expect(page).toEqual({
      events: [...first.events, ...third.events],
      cursor: 3,
      more: false,
      previous: null,
    });
    expect((await store.events({ owner: "other", limit: 10 })).events).toHaveLength(1);
    expect(await store.eventBounds("local")).toEqual({ oldest: 1, newest: 3 });
    expect(await store.eventBounds("nobody")).toEqual({ oldest: 0, newest: 0 });
    expect((await store.commit(eventsOf("local", []))).events).toEqual([]);
  });

  it("resolves commits in the order of their seqs", async () => {
    await using opened = await open();
    const { store } = opened;
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 50 }, async () => {
        const { events } = await store.commit(eventsOf("local", [draft("x.a"), draft("x.b")]));
        order.push(...events.map(({ seq }) => seq));
      }),
    );
    expect(order).toEqual(Array.from({ length: 100 }, (_, i) => i + 1));
  });

  it("reads on from a cursor", async () => {
    await using opened = await open();
    const { store } = opened;
    await store.commit(
      eventsOf(
        "local",
        ["x.a", "x.b", "x.c", "x.d", "x.e"].map((t) => draft(t)),
      ),
    );
    const page = await store.events({ owner: "local", after: 1, limit: 2 });
    expect(page.events.map(({ seq }) => seq)).toEqual([2, 3]);
    expect(page).toMatchObject({ cursor: 3, more: true });
    const rest = await store.events({ owner: "local", after: page.cursor, limit: 2 });
    expect(rest.events.map(({ seq }) => seq)).toEqual([4, 5]);
    expect(rest).toMatchObject({ cursor: 5, more: false });
    expect(await store.events({ owner: "local", after: 5, limit: 2 })).toMatchObject({
      events: [],
      cursor: 5,
      more: false,
    });
  });

  it("filters by plan, session and type, and names the event before each", async () => {
    await using opened = await open();
    const { store } = opened;
    const p = { plan_id: "p" };
    await store.commit(
      eventsOf("local", [
        draft("plan.created", p),
        draft("x.noise"),
        draft("plan.state_changed", { plan_id: "q" }),
        draft("tool.invoked", { ...p, session_id: "s" }),
        draft("x.noise"),
        draft("plan.applied", p),
        draft("planet.seen", p),
      ]),
    );
    const found = async (query: object): Promise<(number | null | undefined)[][]> => {
      const { events } = await store.events({ owner: "local", limit: 9, ...query });
      return events.map(({ seq, prev_seq }) => [seq, prev_seq]);
    };
    expect(await found({ planId: "p" })).toEqual([
      [1, null],
      [4, 1],
      [6, 4],
      [7, 6],
    ]);
    expect(await found({ planId: "p", after: 4 })).toEqual([
      [6, 4],
      [7, 6],
    ]);
    expect(await found({ types: ["plan.*"] })).toEqual([
      [1, null],
      [3, 1],
      [6, 3],
    ]);
    expect(await found({ types: ["plan.applied", "tool.*"], after: 5 })).toEqual([[6, 4]]);
    expect(await found({ sessionId: "s", types: ["*"] })).toEqual([[4, null]]);
    expect(await found({ types: [] })).toEqual([]);
    expect((await found({ types: ["*"] })).map(([seq]) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    const page = await store.events({ owner: "local", planId: "p", limit: 1, after: 1 });
    expect(page).toMatchObject({ cursor: 4, more: true, previous: 1 });
    const end = await store.events({ owner: "local", planId: "q", limit: 1, after: 3 });
    expect(end).toMatchObject({ events: [], cursor: 7, more: false, previous: 3 });
  });

  it("keeps what drafts hold, and nobody's way to change it", async () => {
    await using opened = await open();
    const { store } = opened;
    const data = { text: "a\u0000\u{1f600}\ud800", __proto__x: 1, list: [{ deep: true }] };
    const committed = await store.commit(eventsOf("local", [draft("x.a", { data })]));
    data.list[0] = { deep: false };
    const [event] = committed.events;
    expect(event?.data["list"]).toEqual([{ deep: true }]);
    expect(Object.isFrozen(event?.data["list"])).toBe(true);
    const { events } = await store.events({ owner: "local", limit: 1 });
    expect(events).toEqual(committed.events);
    expect(Object.isFrozen(events[0])).toBe(true);
  });

  it("forgets by count and by age, always from the beginning, and never gives a seq twice", async () => {
    const clock = new FakeClock();
    await using opened = await open(clock);
    const { store } = opened;
    for (let i = 0; i < 6; i += 1) {
      await store.commit(eventsOf("local", [draft(i % 2 === 0 ? "x.even" : "x.odd")]));
      clock.advance(1_000);
    }
    await store.commit(eventsOf("other", [draft("x.a")]));
    const at = (ms: number): string => new Date(Date.parse(NOW) + ms).toISOString();
    expect(await store.trimEvents({ keep: 4, before: at(0) })).toBe(2);
    expect(await store.eventBounds("local")).toEqual({ oldest: 3, newest: 6 });
    expect(await store.trimEvents({ keep: 100, before: at(2_001) })).toBe(1);
    const page = await store.events({ owner: "local", limit: 9, types: ["x.even"] });
    expect(page.events.map(({ seq, prev_seq }) => [seq, prev_seq])).toEqual([[5, null]]);
    expect((await store.events({ owner: "local", after: 3, limit: 9 })).events).toHaveLength(3);
    expect(await store.trimEvents({ keep: 100, before: at(60_000) })).toBe(4);
    expect(await store.eventBounds("local")).toEqual({ oldest: 7, newest: 6 });
    expect((await store.events({ owner: "local", limit: 9 })).events).toEqual([]);
    expect((await store.events({ owner: "local", after: 6, limit: 9 })).cursor).toBe(6);
    const { events } = await store.commit(eventsOf("local", [draft("x.next")]));
    expect(events[0]?.seq).toBe(7);
    expect(await store.eventBounds("local")).toEqual({ oldest: 7, newest: 7 });
  });

  it("forgets many at once", async () => {
    await using opened = await open();
    const { store } = opened;
    const drafts = Array.from({ length: 5_000 }, () => draft("x.many"));
    await store.commit(eventsOf("local", drafts));
    expect(await store.trimEvents({ keep: 10, before: NOW })).toBe(4_990);
    expect(await store.eventBounds("local")).toEqual({ oldest: 4_991, newest: 5_000 });
  });

  it.each([
    [1, "older than the oldest"],
    [0, "older than the oldest"],
    [7, "of another log"],
  ])("says that the cursor %i has expired", async (after, text) => {
    await using opened = await open();
    const { store } = opened;
    const drafts = ["a", "b", "c", "d", "e", "f"].map((name) => draft(`x.${name}`));
    await store.commit(eventsOf("local", drafts));
    await store.trimEvents({ keep: 4, before: "2000" });
    const reading = store.events({ owner: "local", after, limit: 9 });
    await expect(reading).rejects.toMatchObject({
      code: "FACADE_CURSOR_EXPIRED",
      details: { after, oldest: 3, newest: 6 },
      message: expect.stringContaining(text) as string,
    });
  });
});

describe.each(STORES)("tokens and keyed requests of the $name store", ({ open }) => {
  const token = (id: string, patch: Partial<TokenRecord> = {}): TokenRecord => ({
    token_id: id,
    hash: `hash-${id}`,
    owner: "local",
    scopes: ["plan:read", "session:*"],
    created_at: NOW,
    expires_at: null,
    revoked_at: null,
    ...patch,
  });

  it("finds tokens by id and by hash", async () => {
    await using opened = await open();
    const { store } = opened;
    await store.addToken(token("a", { expires_at: NOW }));
    await store.addToken(token("b"));
    expect(await store.token("a")).toEqual(token("a", { expires_at: NOW }));
    expect(await store.tokenByHash("hash-b")).toEqual(token("b"));
    expect(await store.token("c")).toBeUndefined();
    expect(await store.tokenByHash("hash-c")).toBeUndefined();
    expect((await store.tokens()).map(({ token_id: id }) => id)).toEqual(["a", "b"]);
  });

  it.each([token("a", { hash: "other" }), token("other", { hash: "hash-a" })])(
    "takes no id or hash twice",
    async (again) => {
      await using opened = await open();
      await opened.store.addToken(token("a"));
      await expect(opened.store.addToken(again)).rejects.toBeInstanceOf(ConflictError);
      expect(await opened.store.tokens()).toEqual([token("a")]);
    },
  );

  it("revokes once", async () => {
    await using opened = await open();
    const { store } = opened;
    await store.addToken(token("a"));
    expect(await store.revokeToken("a", "2026-01-02T00:00:00.000Z")).toBe(true);
    expect(await store.revokeToken("a", "2026-01-03T00:00:00.000Z")).toBe(true);
    expect((await store.token("a"))?.revoked_at).toBe("2026-01-02T00:00:00.000Z");
    expect(await store.revokeToken("b", NOW)).toBe(false);
  });

  it("gives a key to the first request, and its answer to those after", async () => {
    await using opened = await open();
    const { store } = opened;
    const record = (key: string, patch: Partial<IdempotencyRecord> = {}): IdempotencyRecord => ({
      scope: "local plan.create",
      key,
      fingerprint: "f",
      reserved_id: "r",
      response: null,
      created_at: NOW,
      ...patch,
    });
    expect(await store.beginKeyed(record("k"))).toBeUndefined();
    expect(await store.beginKeyed(record("k", { fingerprint: "g" }))).toEqual(record("k"));
    expect(await store.beginKeyed(record("k", { scope: "other" }))).toBeUndefined();
    await store.finishKeyed("local plan.create", "k", { status: "ok", data: { n: 1 } });
    const done = record("k", { response: { status: "ok", data: { n: 1 } } });
    expect(await store.beginKeyed(record("k"))).toEqual(done);
    await store.dropKeyed("local plan.create", "k");
    expect(await store.beginKeyed(record("k"))).toBeUndefined();
    const later = "2026-01-02T00:00:00.000Z";
    expect(await store.beginKeyed(record("late", { created_at: later }))).toBeUndefined();
    await store.trimKeyed(later);
    expect(await store.beginKeyed(record("k"))).toBeUndefined();
    expect(await store.beginKeyed(record("late"))).toBeDefined();
  });
});
