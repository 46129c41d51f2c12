import { FakeClock, tempFolder } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import {
  type EventDraft,
  FileSessionStore,
  forkSession,
  MemorySessionStore,
  type SessionEvent,
  type SessionStore,
} from "../../src/index.ts";
import { answered, called, created, eventOf, newMeta, prompted, said, START } from "./support.ts";

const clock = new FakeClock("2026-05-05T00:00:00.000Z");

/** A session with SESSION_CREATED and these events from seq 2 on. */
async function stored(store: SessionStore, drafts: readonly EventDraft[]) {
  const meta = newMeta({ title: "first prompt", model: "now/used", mode: "auto" });
  const began = created({ ...meta, model: "then/used", mode: "safe" });
  const events = drafts.map((draft, index) => eventOf(meta.session_id, index + 2, draft));
  const opened = await store.create(meta, [began, ...events]);
  return { meta, opened, events: [began, ...events] };
}

const DRAFTS: readonly EventDraft[] = [
  prompted("first prompt"), // 2
  said("thinking", "reasoning"), // 3
  said("I look"), // 4
  called("a"), // 5
  called("b"), // 6
  answered("b"), // 7
  answered("a"), // 8
  { type: "MODEL_CHANGED", payload: { model: "later/used", previous: "then/used" } }, // 9
  said("thinking again", "reasoning"), // 10
  called("c"), // 11
];

/** What may differ between a record and its copy is left out. */
const copied = (events: readonly SessionEvent[]) =>
  events.map(({ event_id: _id, session_id: _session, ...rest }) => rest);

describe("a fork", () => {
  test("has the events up to the cut with their seqs, under its own id, and says where it comes from", async () => {
    await using home = await tempFolder();
    const store = new FileSessionStore({ home: home.path, clock });
    const { meta, events } = await stored(store, DRAFTS);
    // The source is still open, as it may be in another process.
    const fork = await forkSession(store, meta.session_id, { clock, atSeq: 8 });
    expect(fork).toEqual({
      ...meta,
      session_id: fork.session_id,
      model: "then/used",
      mode: "safe",
      created_at: "2026-05-05T00:00:00.000Z",
      updated_at: "2026-05-05T00:00:00.000Z",
    });
    expect(fork.session_id).not.toBe(meta.session_id);
    const opened = await store.open(fork.session_id);
    expect(opened.meta).toEqual(fork);
    expect(copied(opened.events.slice(1))).toEqual(copied(events.slice(1, 8)));
    expect(opened.events[0]).toMatchObject({
      seq: 1,
      type: "SESSION_CREATED",
      timestamp: "2026-05-05T00:00:00.000Z",
      payload: { model: "then/used", forked_from: { session_id: meta.session_id, seq: 8 } },
    });
    const ids = new Set([...events, ...opened.events].map(({ event_id }) => event_id));
    expect(ids.size).toBe(events.length + opened.events.length);
    for (const { session_id } of opened.events) expect(session_id).toBe(fork.session_id);
    await opened.close();
    expect((await store.read(meta.session_id)).events).toEqual(events);
  });

  test("has the model and mode of that moment, and a title only with a prompt", async () => {
    const store = new MemorySessionStore({ clock });
    const { meta } = await stored(store, DRAFTS);
    const late = await forkSession(store, meta.session_id, { clock, atSeq: 9 });
    expect(late).toMatchObject({ model: "later/used", mode: "safe", title: "first prompt" });
    const early = await forkSession(store, meta.session_id, { clock, atSeq: 1 });
    expect(early).toMatchObject({ model: "then/used", title: "" });
  });

  test("takes neither consent nor before-images along", async () => {
    const store = new MemorySessionStore({ clock });
    const { meta, opened } = await stored(store, DRAFTS);
    const allowed = { id: "1", decision: "allow", scope: "s", description: "d" } as const;
    await opened.updateMeta({ remembered: [{ ...allowed, created_at: START }] });
    const image = { seq: 5, path: "/a", content: null, mode: null, afterHash: "h" };
    await opened.saveBeforeImage(image);
    const fork = await forkSession(store, meta.session_id, { clock });
    expect(fork.remembered).toEqual([]);
    expect(await (await store.open(fork.session_id)).beforeImages()).toEqual([]);
  });

  test("of a fork says where that one comes from", async () => {
    const store = new MemorySessionStore({ clock });
    const { meta } = await stored(store, DRAFTS);
    const child = await forkSession(store, meta.session_id, { clock, atSeq: 8 });
    const grandchild = await forkSession(store, child.session_id, { clock, atSeq: 4 });
    const { events } = await store.read(grandchild.session_id);
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(events[0]?.payload).toMatchObject({
      forked_from: { session_id: child.session_id, seq: 4 },
    });
  });
});

describe("where a log can be cut", () => {
  test("without a seq: behind the last event that nothing belongs to any more", async () => {
    const store = new MemorySessionStore({ clock });
    const { meta } = await stored(store, DRAFTS);
    const fork = await forkSession(store, meta.session_id, { clock });
    expect((await store.read(fork.session_id)).events.at(-1)?.seq).toBe(9);
  });

  test("not between a call and its result, nor behind a thought; the message names the nearest seqs", async () => {
    const store = new MemorySessionStore({ clock });
    const { meta } = await stored(store, DRAFTS);
    for (const [atSeq, before, after] of [
      [3, 2, 4],
      [5, 4, 8],
      [6, 4, 8],
      [7, 4, 8],
      [10, 9, null],
      [11, 9, null],
    ] as const) {
      await expect(forkSession(store, meta.session_id, { clock, atSeq })).rejects.toMatchObject({
        code: "AGENT_EVENT_UNKNOWN",
        details: { seq: atSeq, before, after },
        message: expect.stringContaining(after === null ? `${before}.` : `${before} or ${after}.`),
      });
    }
    for (const atSeq of [0, -1, 12, 2.5]) {
      const refused = forkSession(store, meta.session_id, { clock, atSeq });
      await expect(refused).rejects.toThrow(`has no event ${atSeq}`);
    }
    expect((await store.list()).sessions).toHaveLength(1);
  });

  test("not between two calls of one id and the second result", async () => {
    const store = new MemorySessionStore({ clock });
    const drafts = [prompted("go"), called("a"), called("a"), answered("a"), answered("a")];
    const { meta } = await stored(store, drafts);
    await expect(forkSession(store, meta.session_id, { clock, atSeq: 5 })).rejects.toMatchObject({
      details: { before: 2, after: 6 },
    });
  });

  test("again from the next prompt on, when a turn died with an open call", async () => {
    const store = new MemorySessionStore({ clock });
    const { meta } = await stored(store, [...DRAFTS, prompted("second"), said("done")]);
    for (const atSeq of [12, 13]) {
      const fork = await forkSession(store, meta.session_id, { clock, atSeq });
      expect((await store.read(fork.session_id)).events.at(-1)?.seq).toBe(atSeq);
    }
  });

  test("also when the first record is lost; not when the log never had one", async () => {
    const store = new MemorySessionStore({ clock });
    const meta = newMeta();
    await store.create(meta, [eventOf(meta.session_id, 2, prompted("p"))]);
    const fork = await forkSession(store, meta.session_id, { clock });
    const { events } = await store.read(fork.session_id);
    expect(events.map(({ seq, type }) => [seq, type])).toEqual([
      [1, "SESSION_CREATED"],
      [2, "USER_MESSAGE"],
    ]);
    const other = newMeta();
    await store.create(other, [eventOf(other.session_id, 1, prompted("p"))]);
    await expect(forkSession(store, other.session_id, { clock })).rejects.toMatchObject({
      code: "AGENT_SESSION_INVALID",
    });
  });

  test("a session that is not there can't be forked", async () => {
    const store = new MemorySessionStore({ clock });
    const refused = forkSession(store, newMeta().session_id, { clock });
    await expect(refused).rejects.toMatchObject({ code: "AGENT_SESSION_NOT_FOUND" });
  });
});
