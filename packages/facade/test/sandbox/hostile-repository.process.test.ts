import { chmod, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  applyOptions,
  attempt,
  commitAll,
  fingerprint,
  git,
  never,
  put,
  sandboxBench,
  type SandboxBench,
} from "./support.ts";

const HOOKS = [
  "applypatch-msg",
  "commit-msg",
  "post-checkout",
  "post-commit",
  "post-index-change",
  "post-merge",
  "post-rewrite",
  "pre-auto-gc",
  "pre-commit",
  "pre-merge-commit",
  "prepare-commit-msg",
  "pre-push",
  "pre-receive",
  "push-to-checkout",
  "reference-transaction",
  "update",
  "post-update",
  "post-receive",
  "sendemail-validate",
  "fsmonitor-watchman",
];

const ATTRIBUTES = "* filter=evil diff=evil merge=evil\n";

/** Each program of the configuration leaves its name in a folder. */
function evilConfig(traces: string, included: string): string {
  const leave = (name: string): string => `touch '${traces}/${name}'; cat`;
  return `
[include]
	path = ${included}
[core]
	fsmonitor = "${leave("fsmonitor")}"
	hooksPath = ${traces}/hooks
	sshCommand = "${leave("ssh")}"
	pager = "${leave("pager")}"
	editor = "${leave("editor")}"
	askPass = "${leave("askpass")}"
	alternateRefsCommand = "${leave("alternates")}"
	gitProxy = "${leave("proxy")}"
	worktree = ${traces}/elsewhere
[alias]
	diff-tree = "!${leave("alias")}"
	merge-tree = "!${leave("alias")}"
	merge = "!${leave("alias")}"
[filter "evil"]
	clean = "${leave("clean")}"
	smudge = "${leave("smudge")}"
	process = "${leave("process")}"
	required = true
[filter "e=v.il"]
	clean = "${leave("clean")}"
	smudge = "${leave("smudge")}"
	required = true
[diff]
	external = "${leave("external-diff")}"
[diff "evil"]
	command = "${leave("diff-command")}"
	textconv = "${leave("textconv")}"
[merge "evil"]
	driver = "${leave("merge-driver")}"
[commit]
	gpgSign = true
[gpg]
	program = "${leave("gpg")}"
[merge]
	verifySignatures = true
	autoStash = true
[branch "main"]
	mergeoptions = --no-ff --no-commit -s evil
[credential]
	helper = "!${leave("credential")}"
[uploadpack]
	packObjectsHook = "${leave("pack-objects")}"
[url "ext::sh -c touch% ${traces}/url"]
	insteadOf = /
[protocol]
	allow = always
[protocol "ext"]
	allow = always
[gc]
	auto = 1
[submodule]
	recurse = true
`;
}

async function makeHostile(gitDir: string, traces: string): Promise<void> {
  const hooks = [join(gitDir, "hooks"), join(traces, "hooks")];
  for (const folder of hooks) {
    await mkdir(folder, { recursive: true });
    for (const hook of HOOKS) {
      await writeFile(join(folder, hook), `#!/bin/sh\ntouch '${traces}/hook-${hook}'\n`);
      await chmod(join(folder, hook), 0o755);
    }
  }
  const included = join(gitDir, "included");
  await writeFile(included, `[filter "more"]\n\tsmudge = "touch '${traces}/included'; cat"\n`);
  const config = join(gitDir, "config");
  await writeFile(
    config,
    (await readFile(config, "utf8").catch(() => "")) + evilConfig(traces, included),
  );
  await mkdir(join(gitDir, "info"), { recursive: true });
  await writeFile(
    join(gitDir, "info", "attributes"),
    `${ATTRIBUTES}*.more filter=more\n*.eq filter=e=v.il\n`,
  );
}

async function tracesOf(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => name !== "hooks" && name !== "elsewhere");
}

async function hostileBench(): Promise<SandboxBench & { readonly traces: string }> {
  const bench = await sandboxBench({
    files: {
      "a.txt": "one\ntwo\nthree\n",
      "b.more": "x\n",
      "c.eq": "y\n",
      ".gitattributes": ATTRIBUTES,
      "other.txt": "o\n",
    },
  });
  const traces = bench.folder.join("traces");
  await mkdir(join(traces, "elsewhere"), { recursive: true });
  return { ...bench, traces };
}

test("the traces of this test work: a plain git runs what the repository names", async () => {
  await using bench = await hostileBench();
  await makeHostile(join(bench.root, ".git"), bench.traces);
  await writeFile(join(bench.root, "a.txt"), "changed\n");
  await git(bench.root, "--work-tree=.", "status").catch(() => undefined);
  expect(await tracesOf(bench.traces)).not.toEqual([]);
});

test("nothing that a repository names runs in base, create, checkpoint, diff, mergeability or apply", async () => {
  await using bench = await hostileBench();
  const { sandboxes, root, traces, project, planId } = bench;
  const second = async (): Promise<void> => {
    await writeFile(join(root, "other.txt"), "theirs\n");
    await commitAll(root, "second");
  };
  const base = await sandboxes.base(project, planId);
  await second();
  await makeHostile(join(root, ".git"), traces);
  // Dirty, so that a status would filter it.
  await writeFile(join(root, "c.eq"), "dirty\n");
  const sandbox = await sandboxes.create({ planId, attempt: 1, project, base }, never);
  await put(sandbox.path, { "a.txt": "one\n2\nthree\n", "new.more": "n\n" });
  await sandbox.checkpoint("work");
  const place = { planId, project, base, sandbox };
  const diff = await sandboxes.diff(place, { format: "full", signal: never });
  expect(diff.patch).toContain("+2");
  expect(await sandboxes.mergeability(place, never)).toMatchObject({ clean: true, behind: 1 });
  expect(await sandboxes.readBase(project, base, "a.txt")).toBe("one\ntwo\nthree\n");
  const result = await sandboxes.apply(await applyOptions(bench, { base, sandbox }));
  expect(result).toMatchObject({ outcome: "applied" });
  expect(await readFile(join(root, "a.txt"), "utf8")).toBe("one\n2\nthree\n");
  expect(await readFile(join(root, "new.more"), "utf8")).toBe("n\n");
  expect(await readFile(join(root, "c.eq"), "utf8")).toBe("dirty\n");
  const again = await sandboxes.base(project, `${planId}b`);
  expect(again.warnings.join("\n")).toMatch(/filter "evil".*does not run[^]*c\.eq/);
  await sandboxes.remove({ planId, project });
  await sandboxes.remove({ planId: `${planId}b`, project });
  expect(await tracesOf(traces)).toEqual([]);
  expect(await readdir(join(traces, "elsewhere"))).toEqual([]);
});

test("nothing that was done to the .git of a clone reaches the user's, or runs in a later call", async () => {
  await using bench = await hostileBench();
  const { sandboxes, root, traces, project, planId } = bench;
  const base = await sandboxes.base(project, planId);
  const userGit = await fingerprint(join(root, ".git"));
  const sandbox = await sandboxes.create({ planId, attempt: 1, project, base }, never);
  const place = { planId, project, base, sandbox };
  const own = join(sandbox.path, ".git");
  expect(await git(sandbox.path, "status", "--porcelain")).toBe("");
  expect(await git(sandbox.path, "remote")).toBe("");
  expect(await git(sandbox.path, "log", "--format=%s")).toBe("first");
  await put(sandbox.path, { "a.txt": "one\n2\nthree\n" });
  await git(sandbox.path, "commit", "--quiet", "-am", "its own");
  await git(sandbox.path, "update-ref", "refs/heads/main", "HEAD");
  await git(sandbox.path, "update-ref", `refs/heads/${sandbox.branch}`, base.commit);
  await git(sandbox.path, "gc", "--quiet", "--prune=now");
  await makeHostile(own, traces);
  await writeFile(join(own, "objects", "info", "alternates"), "/nonexistent\n");
  // A repository within: its configuration must not act either, and its files are part of the change.
  const inner = join(sandbox.path, "inner");
  await put(inner, { "x.txt": "inner\n" });
  await git(inner, "init", "--quiet");
  await commitAll(inner, "inner");
  await makeHostile(join(inner, ".git"), traces);
  await sandbox.checkpoint("work");
  await writeFile(join(inner, "x.txt"), "inner 2\n");
  const head = await sandbox.checkpoint("more");
  expect(await sandbox.checkpoint("nothing")).toBe(head);
  const diff = await sandboxes.diff(place, { format: "patch", signal: never });
  expect(diff.changes.map(({ path, op }) => `${op} ${path}`)).toEqual([
    "modify a.txt",
    "add inner/x.txt",
  ]);
  await rm(own, { recursive: true });
  await writeFile(own, `gitdir: ${join(root, ".git")}\n`);
  await put(sandbox.path, { "z.txt": "z\n" });
  await sandbox.checkpoint("with another .git");
  expect(await fingerprint(join(root, ".git"))).toEqual(userGit);
  const result = await sandboxes.apply(await applyOptions(bench, { base, sandbox }));
  expect(result).toMatchObject({ outcome: "applied", stats: { files: 3 } });
  expect(await readFile(join(root, "inner", "x.txt"), "utf8")).toBe("inner 2\n");
  expect(await readdir(join(root, "inner"))).toEqual(["x.txt"]);
  expect(await tracesOf(traces)).toEqual([]);
});

test("variables of git in the environment of the program have no say", async () => {
  await using bench = await sandboxBench();
  const traces = bench.folder.join("traces");
  await mkdir(traces);
  const elsewhere = bench.folder.join("elsewhere");
  const { GitSandboxes } = await import("../../src/sandbox/git-sandboxes.ts");
  const sandboxes = new GitSandboxes({
    home: bench.home,
    isolation: "none",
    environment: {
      PATH: `.:${process.env["PATH"] ?? ""}`,
      HOME: bench.folder.join("user"),
      GIT_DIR: elsewhere,
      GIT_WORK_TREE: elsewhere,
      GIT_INDEX_FILE: elsewhere,
      GIT_OBJECT_DIRECTORY: elsewhere,
      GIT_EXEC_PATH: elsewhere,
      GIT_EXTERNAL_DIFF: `touch ${traces}/diff`,
      GIT_TRACE: `${traces}/trace`,
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "core.fsmonitor",
      GIT_CONFIG_VALUE_0: `touch ${traces}/fsmonitor`,
    },
  });
  // The first folder of PATH is the folder where git would be started.
  await writeFile(join(bench.root, "git"), `#!/bin/sh\ntouch '${traces}/git'\n`);
  await chmod(join(bench.root, "git"), 0o755);
  await commitAll(bench.root, "with a program");
  const done = await attempt({ ...bench, sandboxes }, (path) => put(path, { "b.txt": "b\n" }));
  const result = await sandboxes.apply(await applyOptions({ ...bench, sandboxes }, done));
  expect(result).toMatchObject({ outcome: "applied" });
  expect(await readdir(traces)).toEqual([]);
});
