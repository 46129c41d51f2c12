import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FolderJournal, stateOf } from "../../src/sandbox/folder-journal.ts";
import {
  applyOptions,
  attempt,
  type BenchOptions,
  fingerprint,
  never,
  put,
  type SandboxBench,
  sandboxBench,
} from "./support.ts";

const FILES = {
  "a.txt": "one\ntwo\n",
  "crlf.txt": "one\r\ntwo\r\n",
  ".gitattributes": "* text=auto eol=lf\n",
  ".gitignore": "*.log\nprivate/\n",
  "old/gone.txt": "gone\n",
  "run.sh": "#!/bin/sh\n",
  "long.txt": "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
  "debug.log": "ignored\n",
  "private/key.txt": "secret\n",
};

function bench(options: BenchOptions = {}): Promise<SandboxBench> {
  return sandboxBench({ kind: "fs-directory", files: FILES, ...options });
}

test("a plain folder: files, modes, links, deletions and new folders come back; bytes stay bytes", async () => {
  await using one = await bench();
  const { root, sandboxes, project } = one;
  await chmod(join(root, "a.txt"), 0o640);
  const done = await attempt(one, async (path) => {
    expect((await readdir(path)).toSorted()).not.toContain("debug.log");
    expect(await readdir(path)).not.toContain("private");
    await put(path, {
      "a.txt": "one\n2\n",
      "crlf.txt": "one\r\n2\r\n",
      "new/deep/x.bin": Buffer.from([0, 255, 10, 13]),
    });
    await rm(join(path, "old"), { recursive: true });
    await chmod(join(path, "run.sh"), 0o755);
    await symlink("a.txt", join(path, "link"));
  });
  expect(done.base.target_ref).toBe(null);
  const place = { planId: one.planId, project, base: done.base, sandbox: done.sandbox };
  expect(await sandboxes.mergeability(place, never)).toEqual({
    target_head: null,
    behind: 0,
    clean: true,
    conflicts: [],
  });
  const moved: unknown[] = [];
  const result = await sandboxes.apply(
    await applyOptions(one, done, { moving: async (merge) => void moved.push(merge) }),
  );
  expect(result).toMatchObject({ outcome: "applied", commit: null, stats: { files: 6 } });
  expect(moved).toEqual([{ commit: null, target_ref: null, target_head: null }]);
  expect(await readFile(join(root, "a.txt"), "utf8")).toBe("one\n2\n");
  expect((await lstat(join(root, "a.txt"))).mode & 0o777).toBe(0o640);
  expect(await readFile(join(root, "crlf.txt"), "utf8")).toBe("one\r\n2\r\n");
  expect([...(await readFile(join(root, "new/deep/x.bin")))]).toEqual([0, 255, 10, 13]);
  expect((await lstat(join(root, "run.sh"))).mode & 0o111).toBe(0o111);
  expect(await readlink(join(root, "link"))).toBe("a.txt");
  expect(await readdir(root)).not.toContain("old");
  expect(await readFile(join(root, "debug.log"), "utf8")).toBe("ignored\n");
  expect(await readdir(root)).not.toContain(".git");
  expect(await sandboxes.wasApplied(place, { commit: null, target_ref: null })).toBe(true);
});

test("a file that is not as it was at the base is a conflict, and nothing is written", async () => {
  await using one = await bench();
  const { root, sandboxes } = one;
  const done = await attempt(one, (path) =>
    put(path, { "a.txt": "plan\n", "b.txt": "plan\n", "debug.log": "plan\n" }),
  );
  await writeFile(join(root, "a.txt"), "user\n");
  const before = await fingerprint(root);
  const result = await sandboxes.apply(await applyOptions(one, done));
  expect(result).toMatchObject({
    outcome: "constrained",
    conflicts: [{ path: "a.txt", kind: "content" }],
  });
  expect(await fingerprint(root)).toEqual(before);
  const mergeability = await sandboxes.mergeability({ ...one, ...done }, never);
  expect(mergeability).toMatchObject({ clean: false, conflicts: [{ path: "a.txt" }] });
});

test("a file of the plan that is ignored in the folder is not written over", async () => {
  await using one = await bench();
  const { root, sandboxes } = one;
  const done = await attempt(one, async (path) => {
    await writeFile(join(path, ".gitignore"), "");
    await put(path, { "debug.log": "plan\n" });
  });
  const before = await fingerprint(root);
  const result = await sandboxes.apply(await applyOptions(one, done));
  expect(result).toMatchObject({
    outcome: "constrained",
    conflicts: [{ path: "debug.log", kind: "dirty" }],
  });
  expect(await fingerprint(root)).toEqual(before);
});

test("a change of the user to another file is kept", async () => {
  await using one = await bench();
  const done = await attempt(one, (path) => put(path, { "b.txt": "plan\n" }));
  await writeFile(join(one.root, "a.txt"), "user\n");
  expect(await one.sandboxes.apply(await applyOptions(one, done))).toMatchObject({
    outcome: "applied",
  });
  expect(await readFile(join(one.root, "a.txt"), "utf8")).toBe("user\n");
  expect(await readFile(join(one.root, "b.txt"), "utf8")).toBe("plan\n");
});

test("a folder that became a link to another place is not written through", async () => {
  await using one = await bench();
  const outside = one.folder.join("outside");
  await mkdir(outside);
  const done = await attempt(one, (path) =>
    put(path, { "private/new.txt": "plan\n", "sub/x": "plan\n" }),
  );
  await symlink(outside, join(one.root, "sub"));
  const before = await fingerprint(one.root);
  expect(await one.sandboxes.apply(await applyOptions(one, done))).toMatchObject({
    outcome: "constrained",
  });
  expect(await readdir(outside)).toEqual([]);
  expect(await fingerprint(one.root)).toEqual(before);
});

test("what changes between the check and the write is left alone, and what was written is undone", async () => {
  await using one = await bench();
  const { root, sandboxes } = one;
  const done = await attempt(one, (path) =>
    put(path, { "a.txt": "plan\n", "b/new.txt": "plan\n", "run.sh": "plan\n" }),
  );
  const expected = await fingerprint(root);
  const options = await applyOptions(one, done, {
    moving: () => writeFile(join(root, "run.sh"), "user\n"),
  });
  const result = await sandboxes.apply(options);
  expect(result).toMatchObject({
    outcome: "constrained",
    conflicts: [{ path: "run.sh", kind: "dirty" }],
  });
  expect(await readFile(join(root, "run.sh"), "utf8")).toBe("user\n");
  await writeFile(join(root, "run.sh"), FILES["run.sh"]);
  expect(await fingerprint(root)).toEqual(expected);
});

test("a half-written folder is finished after a crash, and undone where somebody else changed a file", async () => {
  for (const isChanged of [false, true]) {
    await using one = await bench();
    const { root, sandboxes, planId, project } = one;
    const done = await attempt(one, (path) =>
      put(path, { "a.txt": "plan\n", "b.txt": "plan\n", "run.sh": "plan\n" }),
    );
    const before = await readFile(join(root, "run.sh"), "utf8");
    expect(await sandboxes.apply(await applyOptions(one, done))).toMatchObject({
      outcome: "applied",
    });
    // As a crash would leave it: the first file is written, the others are not.
    const path = one.folder.join("home", "sandboxes", planId, "journal", "journal.json");
    await writeFile(path, (await readFile(path, "utf8")).replace('"done"', '"open"'));
    await rm(join(root, "b.txt"));
    await writeFile(join(root, "run.sh"), isChanged ? "user\n" : before);
    const place = { planId, project, base: done.base };
    const merge = { commit: null, target_ref: null };
    expect(await sandboxes.wasApplied(place, merge)).toBe(!isChanged);
    expect(await readFile(join(root, "a.txt"), "utf8")).toBe(isChanged ? FILES["a.txt"] : "plan\n");
    expect(await readFile(join(root, "run.sh"), "utf8")).toBe(isChanged ? "user\n" : "plan\n");
    expect((await readdir(root)).includes("b.txt")).toBe(!isChanged);
    expect(await sandboxes.wasApplied(place, merge)).toBe(!isChanged);
  }
});

test("removing a plan undoes what it had not finished", async () => {
  await using one = await bench();
  const { root, sandboxes, planId, project } = one;
  const before = await fingerprint(root);
  const done = await attempt(one, (path) => put(path, { "a.txt": "plan\n", "b/c.txt": "plan\n" }));
  await sandboxes.apply(await applyOptions(one, done));
  const folder = one.folder.join("home", "sandboxes", planId, "journal");
  const journal = join(folder, "journal.json");
  await writeFile(journal, (await readFile(journal, "utf8")).replace('"done"', '"open"'));
  expect((await FolderJournal.open(folder))?.isDone).toBe(false);
  await sandboxes.remove({ planId, project });
  expect(await fingerprint(root)).toEqual(before);
  expect(await readdir(one.folder.join("home", "sandboxes"))).toEqual([]);
});

test("the folder of the program is not part of a project that holds it", async () => {
  await using one = await bench();
  const { GitSandboxes } = await import("../../src/sandbox/git-sandboxes.ts");
  const home = join(one.root, ".acumen home");
  await put(home, { "tokens.json": "secret" });
  const sandboxes = new GitSandboxes({
    home,
    environment: { PATH: process.env["PATH"] },
    isolation: "none",
  });
  const base = await sandboxes.base(one.project, "P1");
  const listed = await sandboxes.listBase(one.project, base, ".");
  expect(listed).toContain("a.txt");
  expect(listed.filter((path) => path.includes("acumen"))).toEqual([]);
});

test("lines are not merged where there is no history: a file that both changed is a conflict", async () => {
  await using one = await bench();
  const { root, sandboxes } = one;
  const long = FILES["long.txt"];
  const done = await attempt(one, (path) => put(path, { "long.txt": long.replace("9", "plan") }));
  await writeFile(join(root, "long.txt"), long.replace("1", "user"));
  const before = await fingerprint(root);
  expect(await sandboxes.apply(await applyOptions(one, done))).toMatchObject({
    outcome: "constrained",
    conflicts: [{ path: "long.txt", kind: "content" }],
  });
  expect(await fingerprint(root)).toEqual(before);
});

test("undoing leaves no empty folder that it made, and takes none that the user had", async () => {
  await using one = await bench();
  const { root, sandboxes } = one;
  await mkdir(join(root, "empty/of/user"), { recursive: true });
  await chmod(join(root, "empty/of/user"), 0o700);
  await mkdir(join(root, "outer"));
  const done = await attempt(one, async (path) => {
    await put(path, {
      "a/made/x.txt": "plan\n",
      "empty/of/user/x.txt": "plan\n",
      "outer/inner/x.txt": "plan\n",
    });
    await rm(join(path, "old"), { recursive: true });
    await put(path, { "run.sh": "plan\n" });
  });
  const expected = await fingerprint(root);
  const options = await applyOptions(one, done, {
    // The last one to be written: all others are undone.
    moving: () => writeFile(join(root, "run.sh"), "user\n"),
  });
  expect(await sandboxes.apply(options)).toMatchObject({ outcome: "constrained" });
  await writeFile(join(root, "run.sh"), FILES["run.sh"]);
  expect(await fingerprint(root)).toEqual(expected);
});

test("undoing removes the folder that a failed write had made, and that alone", async () => {
  await using one = await bench();
  const { root } = one;
  await mkdir(join(root, "mine"));
  await mkdir(one.folder.join("journal"));
  const journal = await FolderJournal.begin(one.folder.join("journal"), root, [
    { path: "mine/made/x.txt", before: null, after: { kind: "file", hash: "0", mode: 0o644 } },
  ]);
  // Its content is missing, which ends it between the folder and the file.
  await expect(journal.write()).rejects.toThrow("ENOENT");
  expect(await readdir(join(root, "mine"))).toEqual(["made"]);
  await journal.undo();
  expect(await readdir(join(root, "mine"))).toEqual([]);
});

test("a file that was being written when the process died is not left where the change is undone", async () => {
  await using one = await bench();
  const { root } = one;
  const path = one.folder.join("journal");
  await put(path, { "after/new.txt": "plan\n" });
  const after = await stateOf(join(path, "after"), "new.txt");
  const journal = await FolderJournal.begin(path, root, [{ path: "new.txt", before: null, after }]);
  const names = await readdir(root);
  const dying = journal.write((point) => {
    if (point === "temp") throw new Error("died");
  });
  await expect(dying).rejects.toThrow("died");
  expect(await readdir(root)).toHaveLength(names.length + 1);
  await writeFile(join(root, "new.txt"), "user\n");
  expect(await (await FolderJournal.open(path))?.finish()).toBe(false);
  expect((await readdir(root)).toSorted()).toEqual([...names, "new.txt"].toSorted());
});
