import { tempFolder } from "@acumen/testkit";
import { chmod, mkdir, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { PlanBase, Sandbox, SandboxDiff } from "../../src/sandbox/sandboxes.ts";
import { fingerprint, git, never, put, type SandboxBench, sandboxBench } from "./support.ts";

const FILES = { "a.txt": "one\n", "gone.txt": "gone\n", ".gitignore": "*.log\n" };

interface Running {
  readonly base: PlanBase;
  readonly sandbox: Sandbox;
  diff(signal?: AbortSignal): Promise<SandboxDiff>;
}

/** An attempt that nobody made a checkpoint of. */
async function running({ sandboxes, project, planId }: SandboxBench): Promise<Running> {
  const base = await sandboxes.base(project, planId);
  const sandbox = await sandboxes.create({ planId, attempt: 1, project, base }, never);
  return {
    base,
    sandbox,
    diff: (signal = never) =>
      sandboxes.diff({ project, base, sandbox }, { format: "patch", live: true, signal }),
  };
}

test.each(["git-checkout", "fs-directory"] as const)(
  "a live diff of a %s shows what stands there, and changes nothing",
  async (kind) => {
    await using bench = await sandboxBench({ files: FILES, kind });
    const { sandbox, diff } = await running(bench);
    expect((await diff()).changes).toEqual([]);
    await put(sandbox.path, { "a.txt": "two\n", "half.txt": "half\n", "x.log": "ignored\n" });
    await put(sandbox.path, { "dir/deep.txt": "deep\n", "own/inner.txt": "inner\n" });
    await git(join(sandbox.path, "own"), "init", "--quiet");
    await rm(join(sandbox.path, "gone.txt"));
    await symlink("a.txt", join(sandbox.path, "link"));
    const whole = await fingerprint(bench.home);
    const seen = await diff();
    expect(await fingerprint(bench.home)).toEqual(whole);
    expect(seen.changes.map(({ op, path }) => `${op} ${path}`)).toEqual([
      "modify a.txt",
      "add dir/deep.txt",
      "delete gone.txt",
      "add half.txt",
      "add link",
      "add own/inner.txt",
    ]);
    expect(seen.patch).toContain("+half");
    expect(seen.head_commit).toBe(seen.base_commit);
    const head = await sandbox.checkpoint("work");
    const reviewed = await diff();
    expect(reviewed).toEqual({ ...seen, head_commit: head });
  },
);

test("what a git folder of the attempt was made to is nothing to a live diff", async () => {
  await using bench = await sandboxBench({ files: FILES });
  const { sandbox, diff } = await running(bench);
  await put(sandbox.path, { "half.txt": "half\n" });
  await rm(join(sandbox.path, ".git"), { recursive: true });
  await put(sandbox.path, { ".git": "gitdir: /nowhere\n" });
  expect((await diff()).changes.map(({ path }) => path)).toEqual(["half.txt"]);
});

test("files that come, change and go meanwhile are no error", async () => {
  await using bench = await sandboxBench({ files: FILES });
  const { sandbox, diff } = await running(bench);
  await put(sandbox.path, { "half.txt": "half\n" });
  let isOver = false;
  const writing = (async () => {
    for (let at = 0; !isOver; at += 1) {
      const folder = join(sandbox.path, `busy${at % 3}`);
      await mkdir(folder, { recursive: true });
      const names = Array.from({ length: 40 }, (_none, name) => join(folder, `${name}.txt`));
      await Promise.all(names.map((name) => writeFile(name, "x".repeat((at % 50) * 1000))));
      await rm(folder, { recursive: true });
    }
  })();
  try {
    for (let times = 0; times < 15; times += 1) {
      const paths = (await diff()).changes.map(({ path }) => path);
      expect(paths).toContain("half.txt");
    }
  } finally {
    isOver = true;
    await writing;
  }
});

test("a file that is gone each time that git comes to read it is left out", async () => {
  await using folder = await tempFolder("live");
  const script = [
    "#!/bin/sh",
    'case "$1 $3" in',
    '"ls-files --others") touch "$GIT_WORK_TREE/brief.txt" ;;',
    'update-index*) rm -f "$GIT_WORK_TREE/brief.txt" ;;',
    "esac",
    `PATH="\${PATH#*:}" exec git "$@"`,
    "",
  ].join("\n");
  await put(folder.path, { git: script });
  await chmod(folder.join("git"), 0o755);
  const environment = { PATH: `${folder.path}:${process.env["PATH"] ?? ""}` };
  await using bench = await sandboxBench({ files: FILES, environment });
  const { sandbox, diff } = await running(bench);
  await put(sandbox.path, { "half.txt": "half\n" });
  expect((await diff()).changes.map(({ path }) => path)).toEqual(["half.txt"]);
});

test("a caller who gives up ends it, and nothing of it is left", async () => {
  await using bench = await sandboxBench({ files: FILES });
  const { sandbox, diff } = await running(bench);
  const big = Buffer.alloc(96 * 1024 * 1024);
  for (let at = 0; at < big.length; at += 8) big.writeDoubleLE(Math.random(), at);
  await writeFile(join(sandbox.path, "big.bin"), big);
  const attempt = join(sandbox.path, "..");
  const giveUp = new AbortController();
  const asked = diff(giveUp.signal);
  const waiting = diff(giveUp.signal);
  const ended = Promise.allSettled([asked, waiting]);
  await vi.waitFor(
    async () => {
      const [view] = (await readdir(attempt)).filter((name) => name.startsWith("view-"));
      expect(await readdir(join(attempt, view ?? "none", "objects"))).not.toEqual(["info"]);
    },
    { timeout: 10_000, interval: 5 },
  );
  const from = performance.now();
  giveUp.abort();
  expect((await ended).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(performance.now() - from).toBeLessThan(3000);
  expect((await readdir(attempt)).toSorted()).toEqual(["index", "tmp", "work"]);
});

test("an attempt that was removed is gone", async () => {
  await using bench = await sandboxBench({ files: FILES });
  const { diff } = await running(bench);
  await bench.sandboxes.remove(bench);
  await expect(diff()).rejects.toMatchObject({ code: "FACADE_PLAN_ERROR" });
});

test("changes beyond the first 5,000 are picked as others are, each with its patch", async () => {
  await using bench = await sandboxBench({ files: FILES });
  const { sandbox, base } = await running(bench);
  const { sandboxes, project } = bench;
  const names = Array.from({ length: 5100 }, (_none, at) => `n${String(at).padStart(5, "0")}.txt`);
  for (const name of names) await writeFile(join(sandbox.path, name), "same\n");
  const options = { format: "patch", live: true, signal: never } as const;
  const first = await sandboxes.diff({ project, base, sandbox }, { ...options, format: "summary" });
  expect(first).toMatchObject({ truncated: true, stats: { files: 5100 } });
  expect(first.changes).toHaveLength(5000);
  const last = await sandboxes.diff(
    { project, base, sandbox },
    { ...options, pick: ({ changes }) => changes.slice(5098) },
  );
  expect(last.changes.map(({ path }) => path)).toEqual(names.slice(5098));
  expect(last.patch?.match(/^\+\+\+ .*$/gm)).toEqual(["+++ b/n05098.txt", "+++ b/n05099.txt"]);
  expect(last.digest).toBe(first.digest);
});
