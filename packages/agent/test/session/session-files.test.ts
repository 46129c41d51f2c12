import { mkdirSync, writeFileSync } from "node:fs";
import {
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { createId } from "@acumen/core";
import { FakeClock, type TempFolder, tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { EventLog, FileSessionStore, type SessionMeta } from "../../src/index.ts";
import { called, created, eventOf, newMeta, prompted, START } from "./support.ts";

const storeIn = (home: TempFolder) =>
  new FileSessionStore({ home: home.path, clock: new FakeClock(START) });

/** A closed session with a prompt in it; returns its folder. */
async function stored(home: TempFolder, meta: SessionMeta): Promise<string> {
  const opened = await storeIn(home).create(meta, [created(meta)]);
  await opened.append([eventOf(meta.session_id, 2, prompted("first line\nsecond"))]);
  await opened.close();
  return dirname(await fileOf(home, meta.session_id, "meta.json"));
}

async function fileOf(home: TempFolder, id: string, name: string): Promise<string> {
  for (const key of await readdir(home.join("sessions"))) {
    const path = home.join("sessions", key, id, name);
    if ((await stat(path).catch(() => undefined)) !== undefined) return path;
  }
  throw new Error(`no ${name} of ${id}`);
}

test("folders are for their owner alone, and so are all files", async () => {
  await using home = await tempFolder();
  const fresh = home.join("made", "by", "the", "store");
  const store = new FileSessionStore({ home: fresh });
  const opened = await store.create(newMeta(), []);
  const image = { seq: 1, path: "/a", content: Buffer.from("x"), mode: 0o644, afterHash: null };
  await opened.saveBeforeImage(image);
  await opened.outputFolder();
  await opened.updateMeta({ title: "t" });
  const entries = await readdir(fresh, { recursive: true, withFileTypes: true });
  const modes = await Promise.all(
    entries
      .filter((entry) => !entry.isSymbolicLink())
      .map(async (entry) => {
        const path = join(entry.parentPath, entry.name);
        const kind = entry.isDirectory() ? "folder" : "file";
        return `${kind} ${((await stat(path)).mode & 0o777).toString(8)}`;
      }),
  );
  expect(modes.length).toBeGreaterThan(8);
  expect(new Set(modes)).toEqual(new Set(["folder 700", "file 600"]));
  await opened.close();
});

test("the folder of a workspace can be read by people and is another one for every path", async () => {
  await using home = await tempFolder();
  const paths = [
    "/a/My Shop!",
    "/b/My Shop!",
    "/a/my-shop-",
    "/",
    "/a/商店",
    `/a/${"x".repeat(200)}`,
  ];
  for (const cwd of paths) await stored(home, newMeta({ cwd }));
  const keys = (await readdir(home.join("sessions"))).filter((key) => !key.startsWith("."));
  expect(keys).toHaveLength(paths.length);
  for (const key of keys) expect(key).toMatch(/^[a-z0-9-]{1,40}-[0-9a-f]{12}$/);
  expect(keys.filter((key) => key.startsWith("my-shop-"))).toHaveLength(3);
});

test("meta.json and events.jsonl are what the names say, all keys in snake_case", async () => {
  await using home = await tempFolder();
  const meta = newMeta();
  const folder = await stored(home, meta);
  expect(JSON.parse(await readFile(join(folder, "meta.json"), "utf8"))).toEqual(meta);
  const lines = (await readFile(join(folder, "events.jsonl"), "utf8")).split("\n");
  expect(lines.pop()).toBe("");
  expect(lines.map((line) => JSON.parse(line).seq)).toEqual([1, 2]);
  for (const key of lines.join().match(/(?<=")\w+(?=":)/g) ?? []) expect(key).toMatch(/^[a-z_]+$/);
  expect(relative(home.join("sessions"), folder)).toMatch(/^shop-[0-9a-f]{12}\/[0-9A-Z]{26}$/);
});

test.each([
  ["no JSON", "{"],
  ["empty", ""],
  ["of another form", '{"format":"acumen.session","version":1}'],
  ["of another session", JSON.stringify(newMeta())],
])("metadata that is %s is made anew from the log", async (_name, text) => {
  await using home = await tempFolder();
  const [meta, other] = [newMeta(), newMeta()];
  const folder = await stored(home, meta);
  await stored(home, other);
  const opened = await storeIn(home).open(meta.session_id);
  const log = new EventLog(opened, { clock: new FakeClock("2026-01-02T00:00:00.000Z") });
  const place = { turnId: null, step: 0 };
  await log.record({ type: "MODE_CHANGED", payload: { mode: "auto", previous: "safe" } }, place);
  await log.record({ type: "MODEL_CHANGED", payload: { model: "b/c", previous: "x" } }, place);
  await opened.close();
  await writeFile(join(folder, "meta.json"), text);
  const mended = {
    ...meta,
    mode: "auto",
    model: "b/c",
    title: "first line",
    updated_at: "2026-01-02T00:00:00.000Z",
  };
  const store = storeIn(home);
  expect((await store.list()).sessions).toEqual([mended, other]);
  expect((await store.read(meta.session_id)).meta).toEqual(mended);
  expect(await readFile(join(folder, "meta.json"), "utf8")).toBe(text);
  const again = await store.open(meta.session_id);
  expect(again.meta).toEqual(mended);
  expect(JSON.parse(await readFile(join(folder, "meta.json"), "utf8"))).toEqual(mended);
  await again.close();
});

test("a session of a newer version is refused and left alone; the others are listed", async () => {
  await using home = await tempFolder();
  const [meta, other] = [newMeta(), newMeta()];
  const folder = await stored(home, meta);
  await stored(home, other);
  const newer = JSON.stringify({ ...meta, version: 2, title: { text: "new form" } });
  await writeFile(join(folder, "meta.json"), newer);
  const store = storeIn(home);
  const page = await store.list();
  expect(page.sessions).toEqual([{ ...other }]);
  expect(page.unreadable).toEqual([
    { session_id: meta.session_id, reason: expect.stringContaining("newer version") },
  ]);
  for (const use of [() => store.open(meta.session_id), () => store.read(meta.session_id)]) {
    await expect(use()).rejects.toMatchObject({
      code: "AGENT_SESSION_INVALID",
      message: expect.stringContaining("format 2; this one reads 1"),
    });
  }
  expect(await readFile(join(folder, "meta.json"), "utf8")).toBe(newer);
  await expect(store.open(meta.session_id)).rejects.toMatchObject({
    code: "AGENT_SESSION_INVALID",
  });
  await store.delete(meta.session_id);
  expect(await store.list()).toEqual({ sessions: [other] });
});

test("without metadata and log a session is reported, not listed", async () => {
  await using home = await tempFolder();
  const [meta, other] = [newMeta(), newMeta()];
  const folder = await stored(home, meta);
  await stored(home, other);
  await Promise.all(["meta.json", "events.jsonl"].map((name) => rm(join(folder, name))));
  await mkdir(join(dirname(folder), "notes"));
  const store = storeIn(home);
  expect(await store.list()).toEqual({
    sessions: [other],
    unreadable: [{ session_id: meta.session_id, reason: "its metadata is missing" }],
  });
  await expect(store.open(meta.session_id)).rejects.toThrow("its log is missing");
});

test("a list reads metadata only", async () => {
  await using home = await tempFolder();
  const meta = newMeta();
  const folder = await stored(home, meta);
  await rm(join(folder, "events.jsonl"));
  await mkdir(join(folder, "events.jsonl"));
  const store = storeIn(home);
  expect((await store.list()).sessions).toEqual([meta]);
  await expect(store.open(meta.session_id)).rejects.toMatchObject({
    code: "AGENT_SESSION_INVALID",
  });
});

test("a log that is a link is not followed", async () => {
  await using home = await tempFolder();
  const meta = newMeta();
  const folder = await stored(home, meta);
  await rename(join(folder, "events.jsonl"), home.join("elsewhere"));
  const before = await readFile(home.join("elsewhere"), "utf8");
  await symlink(home.join("elsewhere"), join(folder, "events.jsonl"));
  const store = storeIn(home);
  await expect(store.open(meta.session_id)).rejects.toMatchObject({
    code: "AGENT_SESSION_INVALID",
  });
  await expect(store.read(meta.session_id)).rejects.toMatchObject({
    code: "AGENT_SESSION_INVALID",
  });
  expect(await readFile(home.join("elsewhere"), "utf8")).toBe(before);
});

test("what a dead process left half-made or half-removed is no session, and is cleared away later", async () => {
  await using home = await tempFolder();
  const meta = newMeta();
  const folder = await stored(home, meta);
  const staging = home.join("sessions", ".staging");
  const [old, young] = [join(staging, createId()), join(staging, createId())];
  await rename(folder, old);
  await mkdir(young);
  const hoursBefore = new Date(Date.parse(START) - 2 * 3_600_000);
  await utimes(old, hoursBefore, hoursBefore);
  await utimes(young, new Date(START), new Date(START));
  const store = storeIn(home);
  expect(await store.list()).toEqual({ sessions: [] });
  await expect(store.read(meta.session_id)).rejects.toMatchObject({
    code: "AGENT_SESSION_NOT_FOUND",
  });
  await (await store.create(newMeta(), [])).close();
  expect((await readdir(staging)).map((name) => join(staging, name))).toEqual([young]);
});

test("seqs may be missing and records odd: they are reported, and no seq is given twice", async () => {
  await using home = await tempFolder();
  const meta = newMeta();
  const id = meta.session_id;
  const folder = await stored(home, meta);
  const record = (seq: number, change: object = {}) =>
    JSON.stringify({ ...eventOf(id, seq, called(`c${seq}`)), ...change });
  const lines = [
    record(5),
    "not json",
    record(6, { payload: { call_id: 7 } }),
    record(5),
    record(8, { session_id: createId() }),
    "",
    record(9),
    record(12, { type: "FROM_THE_FUTURE", payload: {} }),
    "null",
  ];
  await writeFile(join(folder, "events.jsonl"), `${lines.join("\n")}\n`, { flag: "a" });
  const opened = await storeIn(home).open(id);
  expect(opened.events.map(({ seq }) => seq)).toEqual([1, 2, 5, 9]);
  expect(opened.skipped.map(({ line }) => line)).toEqual([3, 4, 5, 6, 7, 9, 10]);
  expect(opened.skipped.map(({ reason }) => reason)).toEqual([
    "the records with seq 3 to 4 before it are missing",
    "not JSON",
    expect.stringContaining("payload: call_id"),
    "seq 5 is out of order",
    "it belongs to another session",
    expect.stringContaining("type"),
    expect.any(String),
  ]);
  const log = new EventLog(opened, { clock: new FakeClock(START) });
  const { seq } = await log.record(prompted("next"), { turnId: null, step: 0 });
  expect(seq).toBe(14);
  await opened.close();
});

test("a log that was emptied or lost its first record is reported, when it is read and when it is opened", async () => {
  await using home = await tempFolder();
  for (const [text, reason, seqs] of [
    [() => "", "the log is empty", []],
    [
      (log: string) => log.slice(log.indexOf("\n") + 1),
      "the record with seq 1 before it is missing",
      [2],
    ],
  ] as const) {
    const meta = newMeta();
    const log = join(await stored(home, meta), "events.jsonl");
    await writeFile(log, text(await readFile(log, "utf8")));
    const store = storeIn(home);
    const { events, skipped } = await store.read(meta.session_id);
    expect(events.map(({ seq }) => seq)).toEqual(seqs);
    expect(skipped).toEqual([{ line: 1, reason }]);
    const opened = await store.open(meta.session_id);
    expect(opened.skipped).toEqual(skipped);
    await opened.close();
  }
});

test("a list of a thousand sessions is whole and lets others have their turn", async () => {
  await using home = await tempFolder();
  const key = dirname(await stored(home, newMeta({ updated_at: "2027-01-01T00:00:00.000Z" })));
  for (let index = 1; index < 1_000; index += 1) {
    const meta = newMeta({ updated_at: new Date(Date.parse(START) + index).toISOString() });
    mkdirSync(join(key, meta.session_id));
    writeFileSync(join(key, meta.session_id, "meta.json"), JSON.stringify(meta));
  }
  const store = storeIn(home);
  let turns = 0;
  const others = setInterval(() => (turns += 1), 0);
  const first = await store.list({ workspace: "/projects/shop", limit: 500 });
  clearInterval(others);
  expect(turns).toBeGreaterThan(5);
  const second = await store.list({ cursor: first.nextCursor ?? "", limit: 500 });
  const times = [...first.sessions, ...second.sessions].map(({ updated_at }) => updated_at);
  expect(times).toHaveLength(1_000);
  expect(times).toEqual(times.toSorted().toReversed());
  expect(second.nextCursor).toBeUndefined();
});

test("a home or a folder of sessions that is none is a failure of the store, whatever is asked of it", async () => {
  await using folder = await tempFolder();
  await writeFile(folder.join("file"), "x");
  await mkdir(folder.join("home"));
  await writeFile(folder.join("home", "sessions"), "x");
  const failure = { code: "AGENT_STORE_FAILED", message: expect.stringContaining("is no folder") };
  for (const home of [folder.join("file"), folder.join("home")]) {
    const store = new FileSessionStore({ home });
    const meta = newMeta();
    const id = meta.session_id;
    await expect(store.list()).rejects.toMatchObject(failure);
    await expect(store.list({ workspace: meta.cwd })).rejects.toMatchObject(failure);
    await expect(store.create(meta, [created(meta)])).rejects.toMatchObject(failure);
    await expect(store.open(id)).rejects.toMatchObject(failure);
    await expect(store.read(id)).rejects.toMatchObject(failure);
    await expect(store.delete(id)).rejects.toMatchObject(failure);
  }
});
