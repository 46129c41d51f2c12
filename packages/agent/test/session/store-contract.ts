import { mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createId } from "@acumen/core";
import type { FakeClock } from "@acumen/testkit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  EventLog,
  type EventPayload,
  type OpenedSession,
  type RememberedDecision,
  type SessionMeta,
  type SessionStore,
} from "../../src/index.ts";
import { created, eventOf, newMeta, prompted, said, START } from "./support.ts";

export interface StoreUnderTest extends AsyncDisposable {
  readonly store: SessionStore;
  readonly clock: FakeClock;
}

/** What every session store keeps to. */
export function storeContract(name: string, start: () => Promise<StoreUnderTest>): void {
  describe(`${name}: what is stored`, () => storing(start));
  describe(`${name}: who may write`, () => holding(start));
  describe(`${name}: lists`, () => listing(start));
  describe(`${name}: deletion`, () => deleting(start));
  describe(`${name}: before-images`, () => images(start));
}

function storing(start: () => Promise<StoreUnderTest>): void {
  test("a session is stored before its first prompt", async () => {
    await using under = await start();
    const meta = newMeta();
    const opened = await under.store.create(meta, [created(meta)]);
    expect(await under.store.read(meta.session_id)).toEqual({
      meta,
      events: [created(meta)].map((event) => ({ ...event, event_id: expect.any(String) })),
      skipped: [],
    });
    expect(opened.lastSeq).toBe(1);
    await opened.close();
  });

  test("an event is stored when its append resolves, and is there for the next who opens", async () => {
    await using under = await start();
    const meta = newMeta();
    const id = meta.session_id;
    const first = await under.store.create(meta, [created(meta)]);
    const events = [eventOf(id, 2, prompted("hello")), eventOf(id, 3)];
    await first.append(events);
    await first.append([]);
    expect((await under.store.read(id)).events.slice(1)).toEqual(events);
    await first.close();
    const again = await under.store.open(id);
    expect(again.events.slice(1)).toEqual(events);
    expect(again.lastSeq).toBe(3);
    await again.append([eventOf(id, 4)]);
    expect((await under.store.read(id)).events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    await again.close();
  });

  test("content of every kind comes back whole, and metadata of providers to the byte", async () => {
    await using under = await start();
    const meta = newMeta();
    const id = meta.session_id;
    const provider_metadata = JSON.parse(
      '{"anthropic":{"signature":"Es\\u2028\\ud800/+==","__proto__":{"deep":[1e21,-0.5,null]}},"__proto__":{"x":1},"constructor":{}}',
    ) as Record<string, unknown>;
    const input = JSON.parse('{"__proto__":{"a":1},"b":{"__proto__":2},"\\u0000":""}') as unknown;
    const made_by = { provider: "anthropic", model: "m" };
    const call: EventPayload<"TOOL_CALL"> = {
      call_id: "c",
      tool: "t",
      exposed_name: "t",
      kind: "other",
      title: "",
      input,
      locations: [{ path: "/a", line: 3 }],
      diff: [{ path: "/a", old_text: null, new_text: "\u{1F600}".repeat(100_000) }],
      made_by,
      provider_metadata,
    };
    const events = [
      eventOf(id, 2, {
        type: "USER_MESSAGE",
        payload: {
          content: [
            { type: "text", text: "line\r\n\u2028\u0000".repeat(200_000) },
            { type: "image", mime_type: "image/png", data: "QUJD".repeat(300_000) },
            { type: "audio", mime_type: "audio/wav", data: "QUJD" },
            { type: "resource_link", uri: "file:///a", name: "a", size: 3 },
            { type: "resource", uri: "file:///b", blob: "QUJD" },
            { type: "structured", data: { list: [1, { __proto: null }] } },
          ],
          source: "test",
        },
      }),
      eventOf(id, 3, {
        type: "ASSISTANT_MESSAGE",
        payload: { ...said("x", "reasoning").payload, made_by, provider_metadata },
      }),
      eventOf(id, 4, { type: "TOOL_CALL", payload: call }),
    ];
    const texts = events.map(({ payload }) => JSON.stringify(payload));
    const opened = await under.store.create(meta, [created(meta)]);
    await opened.append(events);
    await opened.close();
    const stored = await under.store.read(id);
    expect(stored.skipped).toEqual([]);
    expect(stored.events.slice(1).map(({ payload }) => JSON.stringify(payload))).toEqual(texts);
  });

  test("a later change of what was handed in does not show", async () => {
    await using under = await start();
    const meta = newMeta();
    const opened = await under.store.create(meta, []);
    const draft = prompted("before");
    const appended = opened.append([eventOf(meta.session_id, 1, draft)]);
    draft.payload.content.push({ type: "text", text: "after" });
    await appended;
    const { events } = await under.store.read(meta.session_id);
    expect(events[0]?.payload).toEqual(prompted("before").payload);
    await opened.close();
  });

  test("a change of mode, model, title or remembered decisions is stored at once, with its time", async () => {
    await using under = await start();
    const meta = newMeta();
    const opened = await under.store.create(meta, []);
    under.clock.advance(5_000);
    const remembered: RememberedDecision[] = [
      { id: createId(), decision: "allow", scope: "s", description: "d", created_at: START },
    ];
    const changed: Partial<SessionMeta> = {
      mode: "auto",
      model: "other/m",
      title: "t",
      remembered,
    };
    const next = await opened.updateMeta(changed);
    expect(next).toEqual({ ...meta, ...changed, updated_at: "2026-01-01T00:00:05.000Z" });
    expect(opened.meta).toEqual(next);
    expect((await under.store.read(meta.session_id)).meta).toEqual(next);
    expect((await under.store.list()).sessions).toEqual([next]);
    await opened.close();
  });

  test("the metadata says when the last event came", async () => {
    await using under = await start();
    const meta = newMeta();
    const opened = await under.store.create(meta, []);
    const at = (time: string, seq: number) => eventOf(meta.session_id, seq, undefined, time);
    await opened.append([eventOf(meta.session_id, 1, prompted("p"), "2026-02-01T00:00:00.000Z")]);
    const afterPrompt = await under.store.list();
    expect(afterPrompt.sessions[0]?.updated_at).toBe("2026-02-01T00:00:00.000Z");
    await opened.append([at("2026-02-02T00:00:00.000Z", 2)]);
    expect(opened.meta.updated_at).toBe("2026-02-02T00:00:00.000Z");
    await opened.close();
    expect((await under.store.list()).sessions[0]?.updated_at).toBe("2026-02-02T00:00:00.000Z");
  });

  test("calls are carried out in their order, also those that nobody waited for", async () => {
    await using under = await start();
    const meta = newMeta();
    const id = meta.session_id;
    const opened = await under.store.create(meta, []);
    const calls: Promise<unknown>[] = [];
    for (let seq = 1; seq <= 60; seq += 1) {
      calls.push(opened.append([eventOf(id, seq)]));
      if (seq % 20 === 0) calls.push(opened.updateMeta({ title: `after ${seq}` }));
    }
    await opened.close();
    await Promise.all(calls);
    const stored = await under.store.read(id);
    expect(stored.events.map(({ seq }) => seq)).toEqual(
      Array.from({ length: 60 }, (_, i) => i + 1),
    );
    expect(stored.meta.title).toBe("after 60");
  });

  test("20 sessions side by side keep apart", async () => {
    await using under = await start();
    const { store, clock } = under;
    const metas = Array.from({ length: 20 }, (_, i) => newMeta({ cwd: `/projects/p${i % 3}` }));
    await Promise.all(
      metas.map(async (meta) => {
        const opened = await store.create(meta, [created(meta)]);
        const log = new EventLog(opened, { clock });
        const place = { turnId: createId(), step: 1 };
        for (let round = 0; round < 10; round += 1) {
          const texts = [0, 1, 2].map((part) => `${meta.session_id} ${round} ${part}`);
          await Promise.all(texts.map((text) => log.record(said(text), place)));
        }
        await opened.close();
      }),
    );
    for (const { session_id } of metas) {
      const { events, skipped } = await store.read(session_id);
      expect(skipped).toEqual([]);
      expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 31 }, (_, i) => i + 1));
      const texts = events.slice(1).map((event) => Object(event.payload).text as string);
      expect(texts).toEqual(
        Array.from({ length: 30 }, (_, i) => `${session_id} ${Math.floor(i / 3)} ${i % 3}`),
      );
    }
  });

  test("outputs of tools have a folder that only the owner may enter", async () => {
    await using under = await start();
    const opened = await under.store.create(newMeta(), []);
    const folder = await opened.outputFolder();
    expect(await opened.outputFolder()).toBe(folder);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    await writeFile(join(folder, "out.txt"), "whole output");
    await opened.close();
  });
}

function holding(start: () => Promise<StoreUnderTest>): void {
  test("a session that is open is not opened again, until it is closed", async () => {
    await using under = await start();
    const meta = newMeta();
    const first = await under.store.create(meta, []);
    const refused = { code: "AGENT_SESSION_LOCKED", details: { pid: process.pid } };
    await expect(under.store.open(meta.session_id)).rejects.toMatchObject(refused);
    await first.close();
    const second = await under.store.open(meta.session_id);
    await expect(under.store.open(meta.session_id)).rejects.toThrow(String(process.pid));
    await first.close();
    await expect(under.store.open(meta.session_id)).rejects.toMatchObject(refused);
    await second.close();
    await (await under.store.open(meta.session_id)).close();
  });

  test("a closed session takes nothing more", async () => {
    await using under = await start();
    const meta = newMeta();
    const opened = await under.store.create(meta, []);
    await Promise.all([opened.close(), opened.close()]);
    const closed = { code: "AGENT_SESSION_CLOSED" };
    await expect(opened.append([eventOf(meta.session_id, 1)])).rejects.toMatchObject(closed);
    await expect(opened.updateMeta({ title: "t" })).rejects.toMatchObject(closed);
    await expect(opened.outputFolder()).rejects.toMatchObject(closed);
    expect((await under.store.read(meta.session_id)).events).toEqual([]);
  });

  test("what is no id finds nothing and makes nothing", async () => {
    await using under = await start();
    const meta = newMeta();
    await (await under.store.create(meta, [])).close();
    const lower = meta.session_id.toLowerCase();
    for (const id of [
      "",
      "..",
      "../x",
      "/etc",
      `${meta.session_id}/`,
      `${meta.session_id}\0`,
      lower,
    ]) {
      const unknown = { code: "AGENT_SESSION_NOT_FOUND" };
      await expect(under.store.open(id)).rejects.toMatchObject(unknown);
      await expect(under.store.read(id)).rejects.toMatchObject(unknown);
      await under.store.delete(id);
      const refused = under.store.create(newMeta({ session_id: id }), []);
      await expect(refused).rejects.toMatchObject({ code: "AGENT_SESSION_INVALID" });
    }
    expect((await under.store.list()).sessions).toEqual([meta]);
  });

  test("an id is given once", async () => {
    await using under = await start();
    const meta = newMeta();
    const opened = await under.store.create(meta, [created(meta)]);
    for (const cwd of [meta.cwd, "/elsewhere"]) {
      const again = under.store.create({ ...meta, cwd }, []);
      await expect(again).rejects.toMatchObject({ code: "AGENT_SESSION_INVALID" });
    }
    expect((await under.store.read(meta.session_id)).events).toHaveLength(1);
    await opened.close();
  });
}

function listing(start: () => Promise<StoreUnderTest>): void {
  const at = (minute: number) => `2026-01-01T00:${String(minute).padStart(2, "0")}:00.000Z`;
  const add = async (store: SessionStore, minute: number, cwd = "/projects/shop") => {
    const meta = newMeta({ updated_at: at(minute), cwd });
    await (await store.create(meta, [])).close();
    return meta.session_id;
  };

  test("newest first; of one moment, the later id first", async () => {
    await using under = await start();
    const ids: string[] = [];
    for (const minute of [3, 9, 3, 1, 9]) ids.push(await add(under.store, minute));
    const { sessions, nextCursor } = await under.store.list();
    expect(sessions.map(({ session_id }) => ids.indexOf(session_id))).toEqual([4, 1, 2, 0, 3]);
    expect(nextCursor).toBeUndefined();
  });

  test("of one workspace only, by its exact path", async () => {
    await using under = await start();
    const mine = await add(under.store, 1, "/a/shop");
    await add(under.store, 2, "/b/shop");
    await add(under.store, 3, "/a/shop/sub");
    const page = await under.store.list({ workspace: "/a/shop" });
    expect(page.sessions.map(({ session_id }) => session_id)).toEqual([mine]);
    expect((await under.store.list({ workspace: "/a" })).sessions).toEqual([]);
  });

  test("pages show each session that nobody touched once, whatever comes, goes and changes between them", async () => {
    const action = fc.constantFrom("add", "delete", "touch", "nothing");
    const plan = fc.record({
      minutes: fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 8 }),
      limit: fc.integer({ min: 1, max: 3 }),
      actions: fc.array(fc.tuple(action, fc.nat()), { maxLength: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ minutes, limit, actions }) => {
        await using under = await start();
        const { store, clock } = under;
        clock.advance(3_600_000);
        const untouched = new Set<string>();
        for (const minute of minutes) untouched.add(await add(store, minute));
        const seen: string[] = [];
        const left = [...actions];
        for (let cursor: string | undefined; ;) {
          const page = await store.list({ limit, ...(cursor !== undefined && { cursor }) });
          seen.push(...page.sessions.map(({ session_id }) => session_id));
          cursor = page.nextCursor;
          if (cursor === undefined) break;
          const [what, which] = left.shift() ?? ["nothing", 0];
          const chosen = [...untouched][which % Math.max(1, untouched.size)];
          if (what === "add") await add(store, which % 6);
          if (chosen === undefined || what === "add" || what === "nothing") continue;
          untouched.delete(chosen);
          if (what === "delete") await store.delete(chosen);
          else {
            const opened = await store.open(chosen);
            await opened.updateMeta({ title: "touched" });
            await opened.close();
          }
        }
        expect(new Set(seen).size).toBe(seen.length);
        for (const id of untouched) expect(seen).toContain(id);
      }),
      { numRuns: 10 },
    );
  });

  test("a cursor that no list gave is refused", async () => {
    await using under = await start();
    await add(under.store, 1);
    const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    for (const cursor of [
      "",
      "x",
      "50",
      encoded([1, 2]),
      encoded(["a"]),
      encoded({}),
      encoded(null),
    ]) {
      await expect(under.store.list({ cursor })).rejects.toMatchObject({
        code: "AGENT_CURSOR_INVALID",
      });
    }
  });
}

function deleting(start: () => Promise<StoreUnderTest>): void {
  test("a deleted session is gone, and deleting it again is no error", async () => {
    await using under = await start();
    const meta = newMeta();
    await (await under.store.create(meta, [created(meta)])).close();
    await under.store.delete(meta.session_id);
    await under.store.delete(meta.session_id);
    await under.store.delete(createId());
    const unknown = { code: "AGENT_SESSION_NOT_FOUND" };
    await expect(under.store.open(meta.session_id)).rejects.toMatchObject(unknown);
    await expect(under.store.read(meta.session_id)).rejects.toMatchObject(unknown);
    expect((await under.store.list()).sessions).toEqual([]);
  });

  test("nothing that comes late brings a deleted session back", async () => {
    await using under = await start();
    const meta = newMeta();
    const id = meta.session_id;
    const opened = await under.store.create(meta, [created(meta)]);
    const image = { seq: 1, path: "/a", content: Buffer.from("x"), mode: 0o644, afterHash: null };
    await opened.saveBeforeImage(image);
    const early = opened.append([eventOf(id, 2, prompted("p"))]);
    await Promise.all([early, under.store.delete(id)].map((done) => done.catch(() => undefined)));
    const unknown = { code: "AGENT_SESSION_NOT_FOUND" };
    await expect(opened.append([eventOf(id, 3)])).rejects.toMatchObject(unknown);
    await expect(opened.append([eventOf(id, 3, prompted("q"))])).rejects.toMatchObject(unknown);
    await expect(opened.updateMeta({ title: "back" })).rejects.toMatchObject(unknown);
    await expect(opened.saveBeforeImage(image)).rejects.toMatchObject(unknown);
    await expect(opened.outputFolder()).rejects.toMatchObject(unknown);
    await opened.close();
    await expect(under.store.read(id)).rejects.toMatchObject(unknown);
    expect((await under.store.list()).sessions).toEqual([]);
    expect(await under.store.list()).not.toHaveProperty("unreadable");
  });

  test("outputs go with their session", async () => {
    await using under = await start();
    const meta = newMeta();
    const opened = await under.store.create(meta, []);
    const folder = await opened.outputFolder();
    await mkdir(join(folder, "deep"));
    await under.store.delete(meta.session_id);
    await expect(stat(folder)).rejects.toMatchObject({ code: "ENOENT" });
    await opened.close();
  });
}

function images(start: () => Promise<StoreUnderTest>): void {
  /** Whatever class of bytes a store gives. */
  const stored = async (opened: OpenedSession, fromSeq?: number) =>
    (await opened.beforeImages(fromSeq === undefined ? {} : { fromSeq })).map((each) => ({
      ...each,
      content: each.content === null ? null : new Uint8Array(each.content),
    }));
  const image = (seq: number, path: string, content: Uint8Array | null) => ({
    seq,
    path,
    content: content === null ? null : new Uint8Array(content),
    mode: content === null ? null : 0o755,
    afterHash: seq % 2 === 0 ? null : `hash ${seq}`,
  });

  test("they come back in the order of their calls, byte for byte, also for the next who opens", async () => {
    await using under = await start();
    const meta = newMeta();
    const opened = await under.store.create(meta, []);
    const bytes = Uint8Array.from({ length: 1024 }, (_, i) => i % 256);
    const all = [
      image(3, "/b", bytes),
      image(3, "/line\nbreak", bytes),
      image(7, "/new", null),
      image(9, "/b", Buffer.alloc(0)),
    ];
    const [first, second, third, fourth] = all as [never, never, never, never];
    for (const each of [fourth, first, second, third]) await opened.saveBeforeImage(each);
    expect(await stored(opened)).toEqual(all);
    await opened.close();
    const again = await under.store.open(meta.session_id);
    expect(await stored(again)).toEqual(all);
    expect(await stored(again, 4)).toEqual([third, fourth]);
    await again.close();
  });

  test("images that an undo used are forgotten, the others and what they share stay", async () => {
    await using under = await start();
    const meta = newMeta();
    const opened = await under.store.create(meta, []);
    const shared = Buffer.from("shared");
    const kept = image(1, "/a", shared);
    for (const each of [kept, image(5, "/a", Buffer.from("other")), image(6, "/b", shared)]) {
      await opened.saveBeforeImage(each);
    }
    await opened.dropBeforeImages(5);
    expect(await stored(opened)).toEqual([kept]);
    await opened.saveBeforeImage(image(8, "/c", shared));
    await opened.close();
    const again = await under.store.open(meta.session_id);
    expect(await stored(again)).toEqual([kept, image(8, "/c", shared)]);
    await again.dropBeforeImages(1);
    expect(await stored(again)).toEqual([]);
    await again.close();
  });
}
