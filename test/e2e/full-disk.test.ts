import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { type Command, tempFolder } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import { samplesOf, serverEnvironment } from "./support/ace-mcp.ts";
import {
  canMountSmallDisks,
  withFileSizeLimit,
  withoutRights,
  withSmallDisk,
} from "./support/restricted.ts";
import { readBook } from "./support/skillbook-files.ts";
import { startWireClient, type WireClient } from "./support/wire-client.ts";

const SESSION = { session_id: "s" };
const QUESTION = { ...SESSION, question: "My invoice is wrong. Which team?" };

async function start(
  command: Command,
  root: string,
  env: Readonly<Record<string, string>> = {},
): Promise<WireClient> {
  const client = startWireClient(command, { cwd: root, env: serverEnvironment({ root, env }) });
  await client.initialize();
  return client;
}

/** Learns far more than the disk holds: each skill is a few hundred bytes at least. */
async function learnMuch(client: WireClient): Promise<number> {
  let skills = 0;
  for (let batch = 0; batch < 12; batch += 1) {
    const samples = samplesOf(25, batch * 25).map((sample) => ({
      ...sample,
      context: `${sample.context}. ${"Details that make it long. ".repeat(20)}`,
    }));
    const reply = await client.call("ace.learn.sample", { ...SESSION, samples });
    expect(reply.isError).toBe(false);
    skills = Number(reply.body["skill_count_after"]);
  }
  return skills;
}

async function state(client: WireClient): Promise<unknown> {
  const get = await client.call("ace.skillbook.get", { ...SESSION, limit: 200 });
  const ask = await client.call("ace.ask", QUESTION);
  return { skills: get.body, answer: ask.body["answer"], count: ask.body["skill_count"] };
}

type Disk = readonly [name: string, command: (folder: string, kib: number) => Command];
const DISKS: readonly Disk[] = [
  ["a limit on the size of files (EFBIG)", (_folder, kib) => withFileSizeLimit(kib)],
  ...(canMountSmallDisks()
    ? [["a disk that is really full (ENOSPC)", withSmallDisk] satisfies Disk]
    : []),
];

describe.each(DISKS)("%s", (_name, command) => {
  test("a save that does not fit is a clear error; the older file and the session stay whole, no piece is left", async () => {
    await using folder = await tempFolder("acumen-full");
    chmodSync(folder.path, 0o777);
    await using client = await start(command(folder.path, 48), folder.path);
    await client.call("ace.learn.sample", { ...SESSION, samples: samplesOf(4) });
    const small = await client.call("ace.skillbook.save", { ...SESSION, path: "book.json" });
    expect(small.isError, JSON.stringify(small.body)).toBe(false);
    const skills = await learnMuch(client);
    const before = await state(client);

    const full = await client.call("ace.skillbook.save", { ...SESSION, path: "book.json" });
    expect(full.isError).toBe(true);
    expect(full.body).toMatchObject({
      code: "ACE_MCP_VALIDATION_ERROR",
      details: { path: folder.join("book.json"), reason: "not_writable" },
    });
    expect(String(full.body["message"])).toMatch(/disk is full|EFBIG|too large/i);

    expect(await state(client)).toEqual(before);
    expect(skills).toBeGreaterThan(100);
    // The old file still loads, whole, in the same process (its disk may be visible to it alone).
    const old = await client.call("ace.skillbook.load", { session_id: "old", path: "book.json" });
    expect(old.body).toMatchObject({ skill_count: small.body["saved_skill_count"] });
    expect(readdirSync(folder.path).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    expect(await client.close()).toMatchObject({ code: 0 });
  });

  test("autosave: the call that could not be kept says so, the session works on, the file stays whole", async () => {
    await using folder = await tempFolder("acumen-full-autosave");
    chmodSync(folder.path, 0o777);
    await using client = await start(command(folder.path, 48), folder.path, {
      ACE_MCP_AUTOSAVE: "true",
    });
    let kept = 0;
    let refused: Readonly<Record<string, unknown>> | undefined;
    for (let batch = 0; batch < 40 && refused === undefined; batch += 1) {
      const samples = samplesOf(10, batch * 10);
      const reply = await client.call("ace.learn.sample", { ...SESSION, samples });
      if (reply.isError) refused = reply.body;
      else kept = Number(reply.body["skill_count_after"]);
    }
    expect(kept).toBeGreaterThan(0);
    expect(refused?.["code"]).toBe("ACE_MCP_VALIDATION_ERROR");
    expect(refused).toMatchObject({ details: { reason: "not_writable" } });
    const ask = await client.call("ace.ask", QUESTION);
    expect(ask.isError, JSON.stringify(ask.body)).toBe(false);
    expect(Number(ask.body["skill_count"])).toBeGreaterThanOrEqual(kept);
    expect((await client.close()).code).toBe(0);
  });
});

describe("a folder that must not be written", () => {
  test("save is a clear error, the session stays as it was, the old file too", async () => {
    await using folder = await tempFolder("acumen-read-only");
    const locked = folder.join("locked");
    mkdirSync(locked);
    writeFileSync(folder.join("locked/book.json"), "");
    chmodSync(folder.path, 0o755);
    await using client = await start(withoutRights(), folder.path);
    await client.call("ace.learn.sample", { ...SESSION, samples: samplesOf(8) });
    const before = await state(client);
    chmodSync(locked, 0o555);
    for (const path of ["locked/new.json", "locked/below/new.json"]) {
      const save = await client.call("ace.skillbook.save", { ...SESSION, path });
      expect(save.isError, path).toBe(true);
      expect(save.body).toMatchObject({
        code: "ACE_MCP_VALIDATION_ERROR",
        details: { path: folder.join(path), reason: "not_writable" },
      });
    }
    expect(await state(client)).toEqual(before);
    expect(readdirSync(locked)).toEqual(["book.json"]);
    chmodSync(locked, 0o777);
    const save = await client.call("ace.skillbook.save", { ...SESSION, path: "locked/new.json" });
    expect(save.isError, JSON.stringify(save.body)).toBe(false);
    expect(Object.keys(readBook(folder.join("locked/new.json")).skills)).not.toEqual([]);
  });

  test("a file without read permission is a clear error and makes no session", async () => {
    await using folder = await tempFolder("acumen-unreadable");
    chmodSync(folder.path, 0o755);
    writeFileSync(folder.join("secret.json"), "{}", { mode: 0o000 });
    await using client = await start(withoutRights(), folder.path);
    const load = await client.call("ace.skillbook.load", { ...SESSION, path: "secret.json" });
    expect(load.body).toMatchObject({
      code: "ACE_MCP_VALIDATION_ERROR",
      details: { reason: "unreadable" },
    });
    const get = await client.call("ace.skillbook.get", SESSION);
    expect(get.body).toMatchObject({ code: "ACE_MCP_SESSION_NOT_FOUND" });
  });

  test("autosave into a folder that cannot be made or written is told by the first call, not swallowed", async () => {
    await using folder = await tempFolder("acumen-read-only-autosave");
    chmodSync(folder.path, 0o555);
    await using client = await start(withoutRights(), folder.path, { ACE_MCP_AUTOSAVE: "true" });
    const learn = await client.call("ace.learn.sample", { ...SESSION, samples: samplesOf(4) });
    expect(learn.isError).toBe(true);
    expect(learn.body).toMatchObject({ details: { reason: "not_writable" } });
    expect((await client.close()).code).toBe(0);
    chmodSync(folder.path, 0o755);
  });
});
