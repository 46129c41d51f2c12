import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { applyOptions, attempt, commitAll, git, put, sandboxBench } from "./support.ts";

/** How a user may have come by a repository. */
const KINDS: Readonly<Record<string, (from: string, to: string) => Promise<unknown>>> = {
  shallow: (from, to) => git(from, "clone", "--quiet", "--depth", "1", `file://${from}`, to),
  "borrowing objects": (from, to) => git(from, "clone", "--quiet", "--shared", from, to),
  "with a git folder elsewhere": (from, to) =>
    git(from, "clone", "--quiet", `--separate-git-dir=${to} git`, from, to),
  "of SHA-256": async (from, to) => {
    await git(from, "init", "--quiet", "--object-format=sha256", "--initial-branch=main", to);
    await put(to, { "a.txt": "one\n", "b.txt": "b\n" });
    await commitAll(to, "first");
  },
  "linked to a bare one": async (from, to) => {
    await git(from, "clone", "--quiet", "--bare", from, `${to}.git`);
    await git(`${to}.git`, "worktree", "add", "--quiet", to, "main");
  },
  "linked to another checkout": (from, to) =>
    git(from, "worktree", "add", "--quiet", "-b", "linked", to),
  "with packed refs and objects": async (from, to) => {
    await git(from, "clone", "--quiet", from, to);
    await git(to, "gc", "--quiet");
  },
};

test.each(Object.keys(KINDS))("a repository %s works from base to apply", async (kind) => {
  await using bench = await sandboxBench({ files: { "a.txt": "one\n", "b.txt": "b\n" } });
  await writeFile(join(bench.root, "b.txt"), "b 2\n");
  await commitAll(bench.root, "second");
  const root = bench.folder.join("ü kind of");
  await KINDS[kind]?.(bench.root, root);
  const one = { ...bench, root, project: { ...bench.project, path: root } };
  const done = await attempt(one, async (path) => {
    expect(await git(path, "status", "--porcelain")).toBe("");
    await put(path, { "a.txt": "plan\n" });
    expect(await git(path, "diff", "--name-only")).toBe("a.txt");
  });
  await writeFile(join(root, "b.txt"), "user\n");
  await commitAll(root, "user");
  expect(await bench.sandboxes.apply(await applyOptions(one, done))).toMatchObject({
    outcome: "applied",
  });
  expect(await readFile(join(root, "a.txt"), "utf8")).toBe("plan\n");
  expect(await git(root, "status", "--porcelain")).toBe("");
  await git(root, "fsck", "--strict");
  await bench.sandboxes.remove(one);
  expect(await git(root, "for-each-ref", "refs/acumen")).toBe("");
});
