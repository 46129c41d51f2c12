import { chmod, mkdir, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { GitCommand } from "../../src/git/git-command.ts";
import { PlanRepository } from "../../src/sandbox/plan-repository.ts";
import { undoMerge } from "../../src/sandbox/undo-merge.ts";
import { UserRepository } from "../../src/sandbox/user-repository.ts";
import {
  applyOptions,
  attempt,
  commitAll,
  fingerprint,
  git,
  never,
  put,
  type SandboxBench,
  sandboxBench,
} from "./support.ts";

const FILES = { "a.txt": "a\n", "b.txt": "b\n" };

/** What a user may be in the middle of, and how it is called. */
const STATES: Readonly<Record<string, (root: string) => Promise<unknown>>> = {
  "a cherry-pick": (root) => git(root, "cherry-pick", "other"),
  "a revert": (root) => git(root, "revert", "--no-edit", "HEAD~1"),
  "being rebased": (root) => git(root, "rebase", "other"),
  "a merge": (root) => git(root, "merge", "other"),
  "git am": async (root) => {
    const mail = await git(root, "format-patch", "--stdout", "-1", "other");
    await writeFile(join(root, ".git", "x.patch"), `${mail}\n`);
    await git(root, "am", "--quiet", join(root, ".git", "x.patch"));
  },
};

/** A branch `other` that conflicts with the last commits of `main`. */
async function diverge(root: string): Promise<void> {
  await git(root, "checkout", "--quiet", "-b", "other");
  await writeFile(join(root, "b.txt"), "other\n");
  await commitAll(root, "other");
  await git(root, "checkout", "--quiet", "main");
  for (const text of ["main 1\n", "main 2\n"]) {
    await writeFile(join(root, "b.txt"), text);
    await commitAll(root, text);
  }
}

test("a checkout in the middle of something takes nothing, and is told what it is", async () => {
  await using bench = await sandboxBench({ files: FILES });
  const { sandboxes, root } = bench;
  const done = await attempt(bench, (path) => put(path, { "a.txt": "plan\n" }));
  await diverge(root);
  const head = await git(root, "rev-parse", "HEAD");
  for (const [name, begin] of Object.entries(STATES)) {
    await expect(begin(root)).rejects.toThrow();
    const before = await fingerprint(root);
    await expect(sandboxes.apply(await applyOptions(bench, done))).rejects.toMatchObject({
      code: "FACADE_INVALID_STATE",
      message: expect.stringMatching(new RegExp(`${name}.*takes no change\\. End or abort`)),
    });
    expect([...(await fingerprint(root))].filter(([path]) => !path.startsWith(".git/"))).toEqual(
      [...before].filter(([path]) => !path.startsWith(".git/")),
    );
    for (const state of ["rebase", "am", "cherry-pick", "revert", "merge"]) {
      await git(root, state, "--abort").catch(() => undefined);
    }
    expect(await git(root, "rev-parse", "main")).toBe(head);
  }
});

describe("a lock that a dead git left", () => {
  test.each([
    ["index.lock", true],
    ["HEAD.lock", true],
    ["refs/heads/main.lock", true],
    ["refs/heads/main.lock", false],
  ])("%s, checked out: %s: is named, nothing is removed or changed", async (lock, isCheckedOut) => {
    await using bench = await sandboxBench({ files: FILES });
    const { sandboxes, root } = bench;
    const done = await attempt(bench, (path) => put(path, { "a.txt": "plan\n" }));
    if (!isCheckedOut) await git(root, "checkout", "--quiet", "-b", "other");
    await put(root, { [`.git/${lock}`]: "" });
    const before = await fingerprint(root);
    await expect(sandboxes.apply(await applyOptions(bench, done))).rejects.toMatchObject({
      code: "FACADE_INVALID_STATE",
      message: expect.stringMatching(new RegExp(`${lock} is there.*nothing was changed`)),
    });
    expect(await fingerprint(root)).toEqual(before);
    await rm(join(root, ".git", lock));
    expect(await sandboxes.apply(await applyOptions(bench, done))).toMatchObject({
      outcome: "applied",
    });
  });

  test("that comes between the check and the move leaves no half-merged checkout", async () => {
    await using bench = await sandboxBench({ files: FILES });
    const { root } = bench;
    const done = await attempt(bench, (path) => put(path, { "a.txt": "plan\n", "n.txt": "n\n" }));
    await writeFile(join(root, "b.txt"), "user\n");
    await git(root, "config", "core.hooksPath", "hooks");
    const user = await UserRepository.open(
      new GitCommand({ environment: process.env }),
      bench.project,
    );
    const repository = repositoryOf(bench);
    const head = await git(root, "rev-parse", "HEAD");
    const options = await applyOptions(bench, done);
    const commit = await merged(bench, options);
    // As git leaves it when it cannot move the branch any more.
    await git(root, "read-tree", "-m", "-u", head, commit);
    expect(await git(root, "status", "--porcelain")).toBe("M  a.txt\n M b.txt\nA  n.txt");
    await undoMerge(user, repository, user, { head, commit });
    expect(await git(root, "status", "--porcelain")).toBe(" M b.txt");
    expect(await readFile(join(root, "b.txt"), "utf8")).toBe("user\n");
    expect(await readdir(root)).not.toContain("n.txt");
  });

  test("files that were written before a disk was full are taken back, and a user's are not", async () => {
    await using bench = await sandboxBench({ files: { ...FILES, "c.txt": "c\n", "d.txt": "d\n" } });
    const { root } = bench;
    const done = await attempt(bench, async (path) => {
      await put(path, { "a.txt": "plan\n", "b.txt": "plan\n", "n.txt": "new\n", "m.txt": "m\n" });
      await rm(join(path, "d.txt"));
    });
    const user = await UserRepository.open(
      new GitCommand({ environment: process.env }),
      bench.project,
    );
    const head = await git(root, "rev-parse", "HEAD");
    const commit = await merged(bench, await applyOptions(bench, done));
    await put(root, { "a.txt": "pl", "n.txt": "new\n", "b.txt": "user\n", "m.txt": "user\n" });
    await rm(join(root, "d.txt"));
    await undoMerge(user, repositoryOf(bench), user, { head, commit });
    expect(await git(root, "status", "--porcelain")).toBe(" M b.txt\n?? m.txt");
    expect(await readFile(join(root, "m.txt"), "utf8")).toBe("user\n");
  });
});

function repositoryOf({ home, planId }: SandboxBench): PlanRepository {
  const command = new GitCommand({ environment: process.env });
  return new PlanRepository(command, join(home, "sandboxes", planId, "repository"));
}

/** The merge as the user's repository has it before the branch moves. */
async function merged(
  bench: SandboxBench,
  options: Awaited<ReturnType<typeof applyOptions>>,
): Promise<string> {
  const stop = new Error("stop");
  const { GitSandboxes } = await import("../../src/sandbox/git-sandboxes.ts");
  const sandboxes = new GitSandboxes({
    home: bench.home,
    environment: { PATH: process.env["PATH"] },
    isolation: "none",
    faults: (point) => {
      if (point === "handed_over") throw stop;
    },
  });
  await expect(sandboxes.apply(options)).rejects.toBe(stop);
  return git(bench.root, "rev-parse", `refs/acumen/${bench.planId}/merge`);
}

test("files that git was told to take for unchanged are not written over", async () => {
  for (const option of ["--assume-unchanged", "--skip-worktree"]) {
    await using bench = await sandboxBench({ files: FILES });
    const { sandboxes, root } = bench;
    const done = await attempt(bench, (path) => put(path, { "a.txt": "plan\n" }));
    await git(root, "update-index", option, "a.txt");
    await writeFile(join(root, "a.txt"), "user\n");
    const before = await fingerprint(root);
    expect(await sandboxes.apply(await applyOptions(bench, done))).toMatchObject({
      outcome: "constrained",
      conflicts: [{ path: "a.txt", kind: "dirty" }],
    });
    expect(await fingerprint(root)).toEqual(before);
  }
});

const GLOBAL = `
[core]
	autocrlf = true
	quotepath = true
	attributesFile = ~/attributes
	excludesFile = ~/excludes
	hooksPath = ~/hooks
	fsmonitor = "touch '$TRACES/fsmonitor'"
	editor = "touch '$TRACES/editor'"
[diff]
	noprefix = true
	mnemonicPrefix = true
	renames = false
	external = "touch '$TRACES/diff'"
[color]
	ui = always
[commit]
	gpgSign = true
[gpg]
	program = "touch '$TRACES/gpg'"
[init]
	defaultBranch = odd
	templateDir = ~/template
[safe]
	directory = /nowhere
[merge]
	conflictStyle = zdiff3
	ff = false
	log = true
[rerere]
	enabled = true
	autoUpdate = true
[filter "all"]
	clean = "touch '$TRACES/clean'; cat"
	smudge = "touch '$TRACES/smudge'; cat"
	required = true
[user]
	name = Cleo
	email = cleo@example.test
	signingKey = x
`;

test("whatever the user's own configuration says, a plan starts, is shown and comes back as it is", async () => {
  await using bench = await sandboxBench({ files: { ...FILES, "ü.txt": "ü\n" } });
  const { sandboxes, root, folder, project } = bench;
  const traces = folder.join("traces");
  await mkdir(traces);
  await put(folder.join("user"), {
    ".gitconfig": GLOBAL.replaceAll("$TRACES", traces),
    attributes: "* filter=all eol=crlf\n",
    excludes: "*.txt\n",
    "hooks/pre-commit": `#!/bin/sh\ntouch '${traces}/hook'\n`,
    "hooks/reference-transaction": `#!/bin/sh\ntouch '${traces}/hook'\n`,
    "template/hooks/post-checkout": `#!/bin/sh\ntouch '${traces}/hook'\n`,
  });
  await chmod(folder.join("user", "hooks", "reference-transaction"), 0o755);
  // The user's own git wrote it with such ends, and touched it since.
  await rm(join(root, "a.txt"));
  await git(root, "-c", "core.autocrlf=true", "checkout", "--", "a.txt");
  expect(await readFile(join(root, "a.txt"), "utf8")).toBe("a\r\n");
  await utimes(join(root, "a.txt"), 1, 1);
  const done = await attempt(bench, (path) =>
    put(path, { "a.txt": "a\nplan\n", "ü.txt": "plan\n", "new.txt": "n\n" }),
  );
  expect(done.base.warnings).toEqual([]);
  const { patch } = await sandboxes.diff({ project, ...done }, { format: "patch", signal: never });
  expect(patch).toContain("--- a/a.txt\n+++ b/a.txt\n");
  expect(patch).toContain("+++ b/ü.txt\n");
  expect(await sandboxes.apply(await applyOptions(bench, done))).toMatchObject({
    outcome: "applied",
  });
  expect(await readFile(join(root, "a.txt"), "utf8")).toBe("a\r\nplan\r\n");
  expect(await git(root, "show", "HEAD:a.txt")).toBe("a\nplan");
  expect(await git(root, "log", "-1", "--format=%an <%ae> %G?")).toBe("Cleo <cleo@example.test> N");
  expect(await git(root, "-c", "core.autocrlf=true", "status", "--porcelain")).toBe("");
  expect(await readdir(traces)).toEqual([]);
});

test.each([
  ["core.fileMode=false", (root: string) => chmod(join(root, "a.txt"), 0o755)],
  ["core.splitIndex=true", (root: string) => git(root, "update-index", "--split-index")],
  ["core.untrackedCache=true", (root: string) => git(root, "update-index", "--untracked-cache")],
  ["index.version=4", (root: string) => git(root, "update-index", "--index-version=4")],
  ["index.sparse=true", (root: string) => git(root, "sparse-checkout", "set", "--cone", "d")],
  ["merge.ff=only", () => Promise.resolve()],
  ["core.bare=true", () => Promise.resolve()],
])("a checkout with %s takes a change", async (setting, prepare) => {
  await using bench = await sandboxBench({
    files: { ...FILES, "d/x.txt": "x\n", "e/f/y.txt": "y\n" },
  });
  const { sandboxes, root } = bench;
  const [key = "", value = ""] = setting.split("=");
  await git(root, "config", key, value);
  await prepare(root);
  const done = await attempt(bench, (path) =>
    put(path, { "a.txt": "plan\n", "d/n.txt": "n\n", "e/f/y.txt": "plan\n" }),
  );
  expect(done.base.warnings).toEqual([]);
  const result = await sandboxes.apply(await applyOptions(bench, done));
  expect(result).toMatchObject({ outcome: "applied" });
  expect(await readFile(join(root, "a.txt"), "utf8")).toBe("plan\n");
  expect(await git(root, "show", "HEAD:e/f/y.txt")).toBe("plan");
  expect(await git(root, "--git-dir=.git", "--work-tree=.", "status", "--porcelain")).toBe("");
});

test("a partial clone that lacks files says so; one that has them works", async () => {
  await using bench = await sandboxBench({ files: FILES });
  const { root, folder, sandboxes, planId } = bench;
  await git(root, "config", "uploadpack.allowFilter", "true");
  const clone = async (name: string, ...options: string[]): Promise<SandboxBench> => {
    const path = folder.join(name);
    const args = ["--quiet", "--filter=blob:none", ...options];
    await git(folder.path, "clone", ...args, `file://${root}`, path);
    return {
      ...bench,
      planId: `${planId}${name}`,
      root: path,
      project: { ...bench.project, path },
    };
  };
  const lacking = await clone("lacking", "--no-checkout");
  await expect(sandboxes.base(lacking.project, lacking.planId)).rejects.toMatchObject({
    code: "FACADE_INVALID_STATE",
    message: expect.stringMatching(/partial clone that lacks 2 objects.*--refetch --no-filter/),
  });
  await git(lacking.root, "fetch", "--quiet", "--refetch", "--no-filter");
  expect((await sandboxes.base(lacking.project, lacking.planId)).target_ref).toBe(
    "refs/heads/main",
  );
  const whole = await clone("whole");
  const done = await attempt(whole, (path) => put(path, { "a.txt": "plan\n" }));
  expect(await sandboxes.apply(await applyOptions(whole, done))).toMatchObject({
    outcome: "applied",
  });
});
