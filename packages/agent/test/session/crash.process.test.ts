import { readdir, readFile, stat } from "node:fs/promises";
import {
  FakeClock,
  sourceCommand,
  startProcess,
  type TempFolder,
  tempFolder,
} from "@acumen/testkit";
import { expect, test } from "vitest";
import { EventLog, FileSessionStore } from "../../src/index.ts";
import { created, newMeta, said } from "./support.ts";

const SCRIPT = new URL("session-process.ts", import.meta.url);
const place = { turnId: null, step: 0 };

async function storedSession(home: TempFolder): Promise<string> {
  const meta = newMeta();
  await (await new FileSessionStore({ home: home.path }).create(meta, [created(meta)])).close();
  return meta.session_id;
}

const lastStored = (output: string): number =>
  Number([...output.matchAll(/^stored (\d+)\n/gm)].at(-1)?.[1] ?? 1);

test("SIGKILL during appends loses nothing that was stored, and the session goes on", async () => {
  await using home = await tempFolder();
  const id = await storedSession(home);
  const store = new FileSessionStore({ home: home.path });
  let before = 1;
  for (let round = 0; round < 3; round += 1) {
    await using writer = startProcess(sourceCommand(SCRIPT, [home.path, id, "append"]));
    await writer.waitFor("stdout", /stored \d+\n/, 30_000);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 150));
    writer.kill("SIGKILL");
    await writer.exited;
    const told = lastStored(writer.stdout());
    expect(told).toBeGreaterThan(before);
    const opened = await store.open(id);
    const seqs = opened.events.map(({ seq }) => seq);
    expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, index) => index + 1));
    expect(seqs.length).toBeGreaterThanOrEqual(told);
    const log = new EventLog(opened, { clock: new FakeClock() });
    const event = await log.record(said("after the crash"), place);
    expect(event.seq).toBe(seqs.length + 1);
    await opened.close();
    const { events, skipped } = await store.read(id);
    expect(events.at(-1)).toEqual(event);
    expect(skipped).toEqual([]);
    before = event.seq;
  }
});

test("a full disk fails the event that has no room, leaves nothing of it, and takes the next that has", async () => {
  await using home = await tempFolder();
  const id = await storedSession(home);
  const { command, args } = sourceCommand(SCRIPT, [
    home.path,
    id,
    "fill",
    "1000",
    "9000000",
    "2000",
    "9000000",
    "3000",
  ]);
  // A file may have 4,096 blocks of 512 bytes (of 1,024 in some shells), so the large event is written in part.
  await using writer = startProcess({
    command: "/bin/sh",
    args: ["-c", 'ulimit -f 4096; exec "$0" "$@"', command, ...args],
  });
  expect(await writer.exited).toMatchObject({ code: 0 });
  const lines = writer.stdout().trim().split("\n");
  const failed = expect.stringMatching(/^failed AGENT_STORE_FAILED .*cannot be written \(EFBIG\)/);
  expect(lines).toEqual(["open", "stored 2", failed, "stored 3", failed, "stored 4", "closed"]);
  const store = new FileSessionStore({ home: home.path });
  const { events, skipped } = await store.read(id);
  expect(skipped).toEqual([]);
  expect(events.slice(1).map(({ payload }) => Object(payload).text.length as number)).toEqual([
    1000, 2000, 3000,
  ]);
  const [key = ""] = (await readdir(home.join("sessions"))).filter((name) => !name.startsWith("."));
  const path = home.join("sessions", key, id, "events.jsonl");
  expect((await stat(path)).size).toBeLessThan(10_000);
  expect((await readFile(path, "utf8")).split("\n").filter((line) => line !== "")).toHaveLength(4);
});
