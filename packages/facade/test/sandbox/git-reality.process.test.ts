import { chmod, lstat, mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  applyOptions,
  attempt,
  commitAll,
  fingerprint,
  git,
  never,
  put,
  sandboxBench,
} from "./support.ts";

const summary = { format: "summary", signal: never } as const;

describe("where a plan starts", () => {
  test("refused with a reason: no commit yet, a detached head, a bare repository, a folder within one", async () => {
    await using bench = await sandboxBench({ files: { "sub/a.txt": "a\n" } });
    const { sandboxes, project, planId, root, folder } = bench;
    const at = (path: string): Promise<unknown> => sandboxes.base({ ...project, path }, planId);
    const empty = folder.join("empty");
    await mkdir(empty);
    await git(empty, "init", "--quiet");
    await git(folder.path, "clone", "--quiet", "--bare", root, "bare.git");
    await expect(at(empty)).rejects.toMatchObject({
      code: "FACADE_INVALID_STATE",
      message: expect.stringContaining("no commit"),
    });
    await expect(at(folder.join("bare.git"))).rejects.toThrow(/bare repository/);
    await expect(at(join(root, "sub"))).rejects.toThrow(/no \.git of its own/);
    await git(root, "checkout", "--quiet", "--detach");
    await expect(at(root)).rejects.toThrow(/detached HEAD/);
    await sandboxes.remove({ planId, project });
  });

  test("warns of submodules, pointers of LFS, filters and uncommitted changes", async () => {
    await using bench = await sandboxBench({
      files: {
        ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n*.enc filter=crypt\n",
        "big.bin": "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n",
        "a.txt": "a\n",
      },
    });
    const { sandboxes, project, planId, root } = bench;
    const head = await git(root, "rev-parse", "HEAD");
    await git(root, "update-index", "--add", "--cacheinfo", `160000,${head},vendor/lib`);
    await git(root, "commit", "--quiet", "-m", "submodule");
    await writeFile(join(root, "a.txt"), "dirty\n");
    const { warnings } = await sandboxes.base(project, planId);
    expect(warnings).toEqual([
      expect.stringMatching(/^Submodules are not part of a plan.*vendor\/lib/),
      expect.stringMatching(/^Files of Git LFS are pointers/),
      expect.stringMatching(/filter "crypt"/),
      expect.stringMatching(/^Uncommitted changes.*a\.txt/),
    ]);
  });

  test("pins the base, reads files of it and not of the work tree, and takes the pin away again", async () => {
    await using bench = await sandboxBench({
      files: { "d/a.txt": "base\n", "d/e/b.txt": "b\n", "c.txt": "c\n" },
    });
    const { sandboxes, project, planId, root } = bench;
    const base = await sandboxes.base(project, planId);
    expect(await git(root, "rev-parse", `refs/acumen/${planId}/base-${base.commit}`)).toBe(
      base.commit,
    );
    await writeFile(join(root, "d/a.txt"), "changed\n");
    expect(await sandboxes.readBase(project, base, "d/a.txt")).toBe("base\n");
    expect(await sandboxes.readBase(project, base, "d/none.txt")).toBe(undefined);
    expect(await sandboxes.readBase(project, base, "../home/x")).toBe(undefined);
    expect(await sandboxes.readBase(project, base, "d")).toBe(undefined);
    expect(await sandboxes.listBase(project, base, "d")).toEqual(["d/a.txt", "d/e/b.txt"]);
    expect(await sandboxes.listBase(project, base, "none")).toEqual([]);
    await sandboxes.sweep(new Set([planId]));
    expect(await git(root, "for-each-ref", "refs/acumen")).not.toBe("");
    await sandboxes.sweep(new Set());
    expect(await git(root, "for-each-ref", "refs/acumen")).toBe("");
    await sandboxes.remove({ planId, project });
  });
});

test("renames, modes, links, binary files, line ends and odd names are shown and merged as they are", async () => {
  const odd = 'ünï "q"\t\n\\*[x].txt';
  await using bench = await sandboxBench({
    files: {
      "old.txt": "1\n2\n3\n4\n5\n",
      "run.sh": "#!/bin/sh\n",
      "crlf.txt": "a\r\nb\r\n",
      "bin.dat": Buffer.from([0, 1, 2, 3]),
      [odd]: "odd\n",
      "gone.txt": "gone\n",
      "dir/x": "x\n",
    },
  });
  const { sandboxes, root, project } = bench;
  await git(root, "config", "core.autocrlf", "input");
  const done = await attempt(bench, async (path) => {
    expect(await readFile(join(path, "crlf.txt"), "utf8")).toBe("a\r\nb\r\n");
    await rename(join(path, "old.txt"), join(path, "moved.txt"));
    await chmod(join(path, "run.sh"), 0o755);
    await writeFile(join(path, "crlf.txt"), "a\r\nB\r\n");
    await writeFile(join(path, "bin.dat"), Buffer.from([0, 9, 2, 3]));
    await writeFile(join(path, odd), "odder\n");
    await rm(join(path, "gone.txt"));
    await symlink("run.sh", join(path, "link"));
    await rm(join(path, "dir"), { recursive: true });
    await writeFile(join(path, "dir"), "now a file\n");
  });
  const diff = await sandboxes.diff({ project, ...done }, { format: "full", signal: never });
  const byPath = new Map(diff.changes.map((change) => [change.path, change]));
  expect(byPath.get("moved.txt")).toMatchObject({
    op: "rename",
    old_path: "old.txt",
    insertions: 0,
  });
  expect(byPath.get("run.sh")).toMatchObject({
    op: "mode",
    old_mode: "100644",
    new_mode: "100755",
  });
  expect(byPath.get("crlf.txt")).toMatchObject({ op: "modify", insertions: 1, deletions: 1 });
  expect(byPath.get("bin.dat")).toMatchObject({ op: "modify", binary: true, insertions: null });
  expect(byPath.get(odd)).toMatchObject({ op: "modify", insertions: 1 });
  expect(byPath.get("gone.txt")).toMatchObject({ op: "delete", new_mode: null });
  expect(byPath.get("link")).toMatchObject({ op: "add", new_mode: "120000", note: null });
  expect(diff.patch).toContain("+B\r\n");
  const only = await sandboxes.diff(
    { project, ...done },
    { format: "patch", paths: [odd, "dir"], signal: never },
  );
  expect(only.changes.map(({ path }) => path).toSorted()).toEqual(["dir", "dir/x", odd].toSorted());
  expect(only.patch).not.toContain("moved.txt");
  await git(root, "config", "--unset", "core.autocrlf");
  expect(await sandboxes.apply(await applyOptions(bench, done))).toMatchObject({
    outcome: "applied",
  });
  expect(await readFile(join(root, "crlf.txt"), "utf8")).toBe("a\r\nB\r\n");
  expect(await readFile(join(root, odd), "utf8")).toBe("odder\n");
  expect(await readFile(join(root, "dir"), "utf8")).toBe("now a file\n");
  expect((await lstat(join(root, "run.sh"))).mode & 0o111).not.toBe(0);
  expect(await git(root, "status", "--porcelain")).toBe("");
});

test("a link that leaves the project is shown, and never applied", async () => {
  await using bench = await sandboxBench();
  const { sandboxes, project, root } = bench;
  const done = await attempt(bench, async (path) => {
    await mkdir(join(path, "d"));
    await symlink("../../x", join(path, "d", "out"));
    await symlink("/etc/passwd", join(path, "abs"));
    await symlink("../a.txt", join(path, "d", "in"));
    await symlink(".git/config", join(path, "git"));
  });
  const { changes } = await sandboxes.diff({ project, ...done }, summary);
  const flagged = changes.filter(({ note }) => note === "link that leaves the project");
  expect(flagged.map(({ path }) => path)).toEqual(["abs", "d/out", "git"]);
  const before = await fingerprint(root);
  await expect(sandboxes.apply(await applyOptions(bench, done))).rejects.toMatchObject({
    code: "FACADE_INVALID_STATE",
    message: expect.stringContaining("links that leave the project: abs, d/out"),
  });
  expect(await fingerprint(root)).toEqual(before);
});

test("a tracked folder that becomes a link to one outside does not bring that one's files in", async () => {
  await using bench = await sandboxBench({ files: { "src/a.txt": "a\n", "src/b.txt": "b\n" } });
  const { sandboxes, project } = bench;
  const outside = bench.folder.join("outside");
  await put(outside, { "a.txt": "outside\n", "c.txt": "outside\n" });
  const done = await attempt(bench, async (path) => {
    await rm(join(path, "src"), { recursive: true });
    await symlink(outside, join(path, "src"));
  });
  const { changes } = await sandboxes.diff({ project, ...done }, summary);
  expect(changes.map(({ path, op }) => `${op} ${path}`)).toEqual([
    "add src",
    "delete src/a.txt",
    "delete src/b.txt",
  ]);
});

describe("conflicts say what they are", () => {
  test("both sides changed, one deleted, binary", async () => {
    await using bench = await sandboxBench({
      files: {
        "both.txt": "1\n",
        "del.txt": "1\n2\n",
        "kept.txt": "1\n2\n",
        "bin.dat": Buffer.from([0, 1]),
        "fine.txt": "x\n",
      },
    });
    const { sandboxes, root } = bench;
    const done = await attempt(bench, async (path) => {
      await put(path, {
        "both.txt": "plan\n",
        "kept.txt": "plan\n",
        "bin.dat": Buffer.from([0, 2]),
        "fine.txt": "plan\n",
      });
      await rm(join(path, "del.txt"));
    });
    await put(root, { "both.txt": "user\n", "del.txt": "user\n", "bin.dat": Buffer.from([0, 3]) });
    await rm(join(root, "kept.txt"));
    await commitAll(root, "user");
    const before = await fingerprint(root);
    const { conflicts, clean, behind } = await sandboxes.mergeability({ ...bench, ...done }, never);
    expect({ clean, behind }).toEqual({ clean: false, behind: 1 });
    expect(Object.fromEntries(conflicts.map(({ path, kind }) => [path, kind]))).toEqual({
      "bin.dat": "binary",
      "both.txt": "content",
      "del.txt": "delete_modify",
      "kept.txt": "delete_modify",
    });
    const deleted = conflicts.find(({ path }) => path === "del.txt");
    expect(deleted).toMatchObject({
      base: expect.any(String),
      ours: expect.any(String),
      theirs: null,
    });
    expect(await sandboxes.apply(await applyOptions(bench, done))).toMatchObject({
      outcome: "constrained",
      conflicts,
    });
    expect(await fingerprint(root)).toEqual(before);
  });
});

describe("uncommitted changes of the user", () => {
  test("in files that the plan does not change stay, staged or not", async () => {
    await using bench = await sandboxBench({
      files: { "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" },
    });
    const { sandboxes, root } = bench;
    const done = await attempt(bench, (path) => put(path, { "a.txt": "plan\n" }));
    await put(root, { "b.txt": "user\n", "c.txt": "staged\n", "untracked.txt": "u\n" });
    await git(root, "add", "c.txt");
    expect(await sandboxes.apply(await applyOptions(bench, done))).toMatchObject({
      outcome: "applied",
    });
    expect(await git(root, "status", "--porcelain")).toBe(" M b.txt\nM  c.txt\n?? untracked.txt");
    expect(await readFile(join(root, "a.txt"), "utf8")).toBe("plan\n");
  });

  test("in files that it changes keep it from being applied: changed, staged, untracked or ignored", async () => {
    for (const kind of ["changed", "staged", "staged-only", "untracked", "ignored"]) {
      await using bench = await sandboxBench({
        files: { "a.txt": "a\n", ".gitignore": "*.log\n" },
      });
      const { sandboxes, root } = bench;
      const done = await attempt(bench, async (path) => {
        await put(path, {
          "a.txt": "plan\n",
          "new.txt": "plan\n",
          ".gitignore": "",
          "x.log": "plan\n",
        });
      });
      const path = { untracked: "new.txt", ignored: "x.log" }[kind] ?? "a.txt";
      await writeFile(join(root, path), "user\n");
      if (kind.startsWith("staged")) await git(root, "add", "a.txt");
      if (kind === "staged-only") await writeFile(join(root, path), "a\n");
      const before = await fingerprint(root);
      const result = await sandboxes.apply(await applyOptions(bench, done));
      expect(result).toMatchObject({
        outcome: "constrained",
        conflicts: [{ path, kind: "dirty" }],
      });
      expect(await fingerprint(root)).toEqual(before);
    }
  });
});
