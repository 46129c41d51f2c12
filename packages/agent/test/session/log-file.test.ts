import { appendFile, mkdir, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { FakeClock, tempFolder } from "@acumen/testkit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EventLog } from "../../src/index.ts";
import { FileSessionStore } from "../../src/session/file-session-store.ts";
import { LogFile } from "../../src/session/log-file.ts";
import { LogRecords } from "../../src/session/log-records.ts";
import { workspaceKey } from "../../src/session/workspace-key.ts";
import { eventOf, newMeta, prompted, START } from "./support.ts";

const meta = newMeta();
const ID = meta.session_id;
const RECORDS = Array.from({ length: 8 }, (_, index) =>
  JSON.stringify(eventOf(ID, index + 1, prompted(`\u{1F600} text ${"x".repeat(index * 40)}`))),
);
const LOG = Buffer.from(RECORDS.map((record) => `${record}\n`).join(""));

/** Opens a log of these bytes, as a store does, and closes it. */
async function opened(path: string): Promise<LogRecords> {
  const records = new LogRecords(ID);
  await (await LogFile.open(path, records)).close();
  return records;
}

const textsOf = (records: LogRecords): string[] =>
  records.events.map((event) => JSON.stringify(event));

describe("a log that was torn", () => {
  test("wherever it ends, each whole record is kept and the next append can be read", async () => {
    await using folder = await tempFolder();
    const path = folder.join("log");
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: LOG.length }), async (end) => {
        await writeFile(path, LOG.subarray(0, end));
        const records = new LogRecords(ID);
        const file = await LogFile.open(path, records);
        const whole = RECORDS.filter(
          (_record, index) => Buffer.byteLength(RECORDS.slice(0, index + 1).join("\n")) <= end,
        );
        expect(textsOf(records)).toEqual(whole);
        expect(records.lastSeq).toBe(whole.length);
        const next = JSON.stringify(eventOf(ID, records.lastSeq + 1, prompted("next")));
        await file.append(`${next}\n`);
        await file.close();
        const again = await opened(path);
        expect(textsOf(again)).toEqual([...whole, next]);
        expect(again.skipped).toEqual([]);
      }),
      { numRuns: 60, examples: [[0], [LOG.length], [LOG.length - 1], [1]] },
    );
  });

  test("with any bytes put in or over it anywhere, it opens, and each record that is whole survives", async () => {
    await using folder = await tempFolder();
    const path = folder.join("log");
    const damage = fc.record({
      at: fc.integer({ min: 0, max: LOG.length }),
      over: fc.integer({ min: 0, max: 300 }),
      bytes: fc.oneof(
        fc.uint8Array({ maxLength: 200 }),
        fc.constant(new Uint8Array(50)),
        fc.constant(Buffer.from("\n\n}{\n")),
        fc.constant(Buffer.from("\u2028\n\ufeff")),
        fc.constant(Buffer.from("9")),
      ),
    });
    await fc.assert(
      fc.asyncProperty(damage, async ({ at, over, bytes }) => {
        const end = Math.min(LOG.length, at + over);
        const damaged = Buffer.concat([LOG.subarray(0, at), bytes, LOG.subarray(end)]);
        await writeFile(path, damaged);
        const records = await opened(path);
        let position = 0;
        const untouched = RECORDS.filter((record) => {
          const start = position;
          position += Buffer.byteLength(record) + 1;
          // A record is on a line of its own still when its bytes and the breaks around it are.
          return position <= at || start > end;
        });
        const texts = textsOf(records);
        for (const record of untouched) expect(texts).toContain(record);
        expect(records.lastSeq).toBeGreaterThanOrEqual(records.events.at(-1)?.seq ?? 0);
      }),
      { numRuns: 150 },
    );
  });

  test("a record with a wrong seq is lost alone, be it too high or too low", async () => {
    await using folder = await tempFolder();
    const path = folder.join("log");
    for (const [from, to] of [
      ['"seq":3', '"seq":93'],
      ['"seq":6', '"seq":2'],
      ['"seq":1', '"seq":900719925474099'],
    ] as const) {
      await writeFile(path, LOG.toString().replace(from, to));
      const records = await opened(path);
      const kept = RECORDS.filter((record) => !record.includes(`${from},`));
      expect(textsOf(records)).toEqual(kept);
      expect(records.skipped).toMatchObject([{ reason: expect.stringContaining("out of order") }]);
      expect(records.lastSeq).toBe(8);
    }
  });

  test("bytes that are no UTF-8 make a record unreadable, not another text", async () => {
    await using folder = await tempFolder();
    const path = folder.join("log");
    const broken = Buffer.from(LOG);
    broken[broken.indexOf(0xf0)] = 0xff;
    await writeFile(path, broken);
    const records = await opened(path);
    expect(textsOf(records)).toEqual(RECORDS.slice(1));
    expect(records.skipped).toEqual([{ line: 1, reason: "not JSON" }]);
  });

  test("a whole last record without its line break is kept", async () => {
    await using folder = await tempFolder();
    const path = folder.join("log");
    await writeFile(path, LOG.subarray(0, -1));
    expect(textsOf(await opened(path))).toEqual(RECORDS);
    expect(await readFile(path)).toEqual(LOG);
  });

  test("reading without opening changes nothing", async () => {
    await using home = await tempFolder();
    const store = new FileSessionStore({ home: home.path, clock: new FakeClock(START) });
    await (await store.create(meta, [])).close();
    const path = home.join("sessions", workspaceKey(meta.cwd), ID, "events.jsonl");
    await writeFile(path, LOG.subarray(0, -10));
    const { events, skipped } = await store.read(ID);
    expect(events).toHaveLength(7);
    expect(skipped).toEqual([{ line: 8, reason: "the record is cut off" }]);
    expect(await readFile(path)).toEqual(LOG.subarray(0, -10));
    const session = await store.open(ID);
    expect(session.skipped).toEqual(skipped);
    const log = new EventLog(session, { clock: new FakeClock(START) });
    expect((await log.record(prompted("next"), { turnId: null, step: 0 })).seq).toBe(8);
    await session.close();
    expect((await store.read(ID)).skipped).toEqual([]);
  });
});

describe("a file of lines", () => {
  const none = { line: () => undefined, tail: () => false };

  test("lines longer than any buffer come whole", async () => {
    await using folder = await tempFolder();
    const path = folder.join("log");
    const lines = ["a".repeat(700_000), "", "b", "c".repeat(262_144), "d".repeat(262_143)];
    await writeFile(path, lines.map((line) => `${line}\n`).join(""));
    const seen: string[] = [];
    const file = await LogFile.open(path, { ...none, line: (bytes) => seen.push(String(bytes)) });
    await file.close();
    expect(seen).toEqual(lines.filter((line) => line !== ""));
  });

  test("it is not there any more once it was removed, moved or replaced", async () => {
    await using folder = await tempFolder();
    await mkdir(folder.join("deep"));
    const path = folder.join("deep", "log");
    const file = await LogFile.create(path);
    expect(await file.stillThere()).toBe(true);
    await truncate(path);
    expect(await file.stillThere()).toBe(true);
    await writeFile(`${path}.new`, "");
    await rename(`${path}.new`, path);
    expect(await file.stillThere()).toBe(false);
    await rm(dirname(path), { recursive: true });
    expect(await file.stillThere()).toBe(false);
    await writeFile(join(folder.path, "deep"), "a file");
    expect(await file.stillThere()).toBe(false);
    await file.close();
  });

  test("an existing file is not created again", async () => {
    await using folder = await tempFolder();
    await appendFile(folder.join("log"), "kept\n");
    await expect(LogFile.create(folder.join("log"))).rejects.toMatchObject({ code: "EEXIST" });
    expect(await readFile(folder.join("log"), "utf8")).toBe("kept\n");
  });
});
