import { mkdir, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { createRedactor, openWorkspace } from "@acumen/agent";
import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { FileSource } from "../../src/context/file-fragments.ts";
import { ProjectReader } from "../../src/context/project-reader.ts";
import { GitCommand } from "../../src/git/git-command.ts";
import { TextCache, type TextCacheOptions } from "../../src/context/text-cache.ts";

/** As if every file had been left alone for an hour. */
const LATER = { now: () => Date.now() + 3_600_000 };

async function bench(options: TextCacheOptions = LATER) {
  const folder = await tempFolder("acumen-texts");
  await mkdir(folder.join("shop/src"), { recursive: true });
  await writeFile(folder.join("shop/src/a.txt"), "first");
  const cache = new TextCache(options);
  /** As each request does: with a reader of its own. */
  const read = async (path: string, project = "shop") => {
    const workspace = await openWorkspace({ cwd: folder.join(project) });
    return new ProjectReader(workspace, cache).read(path);
  };
  return { folder, cache, read };
}

test("what is as it was is not read again", async () => {
  const { folder, cache, read } = await bench();
  await using _folder = folder;
  const first = await read("src/a.txt");
  expect(first).toMatchObject({ ok: true, text: "first" });
  expect(await read("src/a.txt")).toBe(first);
  expect(cache.size).toBe(205);
  await writeFile(folder.join("shop/b.bin"), Buffer.from([0, 1]));
  const binary = await read("b.bin");
  expect(binary).toMatchObject({ ok: false, reason: "binary" });
  expect(await read("b.bin")).toBe(binary);
});

test("a change is seen, also one that keeps the size and puts the time back", async () => {
  const { folder, read } = await bench();
  await using _folder = folder;
  const time = new Date("2026-01-01T00:00:00Z");
  await utimes(folder.join("shop/src/a.txt"), time, time);
  await read("src/a.txt");
  await writeFile(folder.join("shop/src/a.txt"), "other");
  await utimes(folder.join("shop/src/a.txt"), time, time);
  expect(await read("src/a.txt")).toMatchObject({ text: "other" });
});

test("what was changed a moment ago is not kept: the next change could look the same", async () => {
  const { folder, cache, read } = await bench({});
  await using _folder = folder;
  expect(await read("src/a.txt")).toMatchObject({ text: "first" });
  expect(cache.size).toBe(0);
});

test("what leads out of the project meanwhile is refused", async () => {
  const { folder, read } = await bench();
  await using _folder = folder;
  await read("src/a.txt");
  await rename(folder.join("shop/src"), folder.join("away"));
  await symlink(folder.join("away"), folder.join("shop/src"));
  expect(await read("src/a.txt")).toMatchObject({ ok: false, reason: "denied" });
  await rm(folder.join("shop/src"));
  await mkdir(folder.join("shop/src"));
  await symlink(folder.join("away/a.txt"), folder.join("shop/src/a.txt"));
  expect(await read("src/a.txt")).toMatchObject({ ok: false, reason: "denied" });
});

test("what one project was shown, no other gets", async () => {
  const { folder, read } = await bench();
  await using _folder = folder;
  await mkdir(folder.join("other"));
  await read("src/a.txt");
  expect(await read("../shop/src/a.txt", "other")).toMatchObject({ ok: false, reason: "denied" });
});

test("whatever is read, it is bounded, and what was asked for lately stays", async () => {
  const { folder, cache, read } = await bench({ ...LATER, chars: 1_000, entries: 3 });
  await using _folder = folder;
  for (const name of ["b", "c", "d"]) await writeFile(folder.join(`shop/${name}`), name);
  const first = await read("src/a.txt");
  const second = await read("b");
  await read("c");
  expect(await read("src/a.txt")).toBe(first);
  await read("d");
  expect(await read("src/a.txt")).toBe(first);
  expect(await read("b")).not.toBe(second);
  await writeFile(folder.join("shop/long"), "x".repeat(700));
  await read("long");
  expect(cache.size).toBeLessThanOrEqual(1_000);
  await writeFile(folder.join("shop/longer"), "x".repeat(2_000));
  const longer = await read("longer");
  expect(await read("longer")).not.toBe(longer);
});

test("files of a project are kept from one request to the next", async () => {
  const { folder, cache } = await bench();
  await using _folder = folder;
  const source = new FileSource({
    git: new GitCommand({ environment: {} }),
    home: folder.join("home"),
    redact: createRedactor(),
    texts: cache,
  });
  const request = {
    project: { path: folder.join("shop"), name: "s", kind: "fs-directory", trusted: true },
    query: "",
    terms: [],
    changed: new Set<string>(),
    all: true,
    signal: new AbortController().signal,
  } as const;
  const first = await source.collect(request);
  expect(cache.size).toBe(205);
  expect(await source.collect(request)).toEqual(first);
  await writeFile(folder.join("shop/src/a.txt"), "other");
  const { candidates } = await source.collect(request);
  expect(candidates[0]?.forms[0]?.parts[0]?.content).toBe("other");
});
