import { readFile, rm, writeFile } from "node:fs/promises";
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
} from "./support.ts";

test("a branch that is checked out nowhere moves alone: no file of the checkout changes", async () => {
  await using bench = await sandboxBench();
  const { sandboxes, root } = bench;
  const done = await attempt(bench, (path) => put(path, { "a.txt": "plan\n" }));
  await git(root, "checkout", "--quiet", "-b", "other");
  const result = await sandboxes.apply(await applyOptions(bench, done));
  expect(result).toMatchObject({ outcome: "applied" });
  const commit = result.outcome === "applied" ? result.commit : null;
  expect(await git(root, "rev-parse", "main")).toBe(commit);
  expect(await git(root, "show", "main:a.txt")).toBe("plan");
  expect(await git(root, "status", "--porcelain", "--branch")).toBe("## other");
  expect(await readFile(join(root, "a.txt"), "utf8")).toBe("one\ntwo\nthree\n");
});

test("a branch that is checked out in a linked work tree is moved there with its files", async () => {
  await using bench = await sandboxBench();
  const { sandboxes, root, folder } = bench;
  const done = await attempt(bench, (path) => put(path, { "a.txt": "plan\n" }));
  const linked = folder.join("linked");
  await git(root, "checkout", "--quiet", "-b", "other");
  await git(root, "worktree", "add", "--quiet", linked, "main");
  expect(await sandboxes.apply(await applyOptions(bench, done))).toMatchObject({
    outcome: "applied",
  });
  expect(await readFile(join(linked, "a.txt"), "utf8")).toBe("plan\n");
  expect(await git(linked, "status", "--porcelain")).toBe("");
  expect(await git(root, "status", "--porcelain")).toBe("");
});

test("a project that is a linked work tree itself works, with its own branch", async () => {
  await using bench = await sandboxBench();
  const { sandboxes, root, folder } = bench;
  const linked = folder.join("linked");
  await git(root, "worktree", "add", "--quiet", "-b", "feature", linked);
  const one = { ...bench, root: linked, project: { ...bench.project, path: linked } };
  const done = await attempt(one, (path) => put(path, { "a.txt": "plan\n" }));
  expect(done.base.target_ref).toBe("refs/heads/feature");
  expect(await sandboxes.apply(await applyOptions(one, done))).toMatchObject({
    outcome: "applied",
  });
  expect(await readFile(join(linked, "a.txt"), "utf8")).toBe("plan\n");
  expect(await git(root, "status", "--porcelain", "--branch")).toBe("## main");
});

test("a branch that moved without a conflict is merged; a stale head or digest is refused", async () => {
  await using bench = await sandboxBench({ files: { "a.txt": "a\n", "b.txt": "b\n" } });
  const { sandboxes, root } = bench;
  const done = await attempt(bench, (path) => put(path, { "a.txt": "plan\n" }));
  await writeFile(join(root, "b.txt"), "user\n");
  const head = await commitAll(root, "user");
  const before = await fingerprint(root);
  await expect(
    sandboxes.apply(await applyOptions(bench, done, { expectedTargetHead: done.base.commit })),
  ).rejects.toMatchObject({
    code: "FACADE_CONFLICT",
    details: { expected: done.base.commit, actual: head },
  });
  await expect(
    sandboxes.apply(await applyOptions(bench, done, { digest: "0".repeat(64) })),
  ).rejects.toMatchObject({
    code: "FACADE_CONFLICT",
  });
  expect(await fingerprint(root)).toEqual(before);
  const result = await sandboxes.apply(
    await applyOptions(bench, done, { expectedTargetHead: head }),
  );
  expect(result).toMatchObject({
    outcome: "applied",
    stats: { files: 1, insertions: 1, deletions: 1 },
  });
  expect(await git(root, "log", "--format=%P", "-1")).toContain(head);
  expect(await git(root, "log", "-1", "--format=%an <%ae>")).toBe("Acumen <acumen@localhost>");
});

test("the merge is made in the user's name where git knows it", async () => {
  await using bench = await sandboxBench();
  const { sandboxes, root } = bench;
  await git(root, "config", "user.name", "Bea");
  await git(root, "config", "user.email", "bea@example.test");
  const done = await attempt(bench, (path) => put(path, { "a.txt": "plan\n" }));
  await sandboxes.apply(await applyOptions(bench, done));
  expect(await git(root, "log", "-1", "--format=%an <%ae> %cn")).toBe("Bea <bea@example.test> Bea");
});

test("a branch that moves between the merge and the move is merged anew, and never overwritten", async () => {
  for (const isCheckedOut of [true, false]) {
    await using bench = await sandboxBench({ files: { "a.txt": "a\n", "b.txt": "b\n" } });
    const { sandboxes, root } = bench;
    const done = await attempt(bench, (path) => put(path, { "a.txt": "plan\n" }));
    if (!isCheckedOut) await git(root, "checkout", "--quiet", "-b", "other");
    let moved = 0;
    const moving = async (): Promise<void> => {
      moved += 1;
      if (moved > 1) return;
      const tree = await git(root, "rev-parse", "main^{tree}");
      const commit = await git(root, "commit-tree", tree, "-p", "main", "-m", "meanwhile");
      if (isCheckedOut) await git(root, "merge", "--quiet", "--ff-only", commit);
      else await git(root, "update-ref", "refs/heads/main", commit);
    };
    expect(await sandboxes.apply(await applyOptions(bench, done, { moving }))).toMatchObject({
      outcome: "applied",
    });
    expect(moved).toBe(2);
    expect(await git(root, "log", "--first-parent", "--format=%s", "main")).toBe(
      "Apply the plan\nmeanwhile\nfirst",
    );
    expect(await git(root, "status", "--porcelain")).toBe("");
  }
});

test("a second apply merges nothing twice, and an attempt without a change is not applied", async () => {
  await using bench = await sandboxBench();
  const { sandboxes, root } = bench;
  const done = await attempt(bench, (path) => put(path, { "a.txt": "plan\n" }));
  const first = await sandboxes.apply(await applyOptions(bench, done));
  const head = await git(root, "rev-parse", "main");
  const second = await sandboxes.apply(await applyOptions(bench, done));
  expect(second).toEqual(first);
  expect(await git(root, "rev-parse", "main")).toBe(head);
  await using other = await sandboxBench();
  const nothing = await attempt(other, () => Promise.resolve());
  await expect(other.sandboxes.apply(await applyOptions(other, nothing))).rejects.toThrow(
    /changed nothing/,
  );
});

test("a new attempt leaves the finished one alone; the same number begins it anew", async () => {
  await using bench = await sandboxBench();
  const { sandboxes, project, planId } = bench;
  const done = await attempt(bench, (path) => put(path, { "a.txt": "plan\n" }));
  const other = await sandboxes.create({ planId, attempt: 2, project, base: done.base }, never);
  await put(other.path, { "b.txt": "second\n" });
  await other.checkpoint("second");
  const paths = async (sandbox: typeof other): Promise<readonly string[]> => {
    const { changes } = await sandboxes.diff(
      { project, base: done.base, sandbox },
      { format: "summary", signal: never },
    );
    return changes.map(({ path }) => path);
  };
  expect(await paths(done.sandbox)).toEqual(["a.txt"]);
  expect(await paths(other)).toEqual(["b.txt"]);
  await sandboxes.create({ planId, attempt: 2, project, base: done.base }, never);
  expect(await paths(other)).toEqual([]);
  const again = await sandboxes.open({ planId, project, ...done });
  expect(again).toMatchObject({ path: done.sandbox.path, branch: done.sandbox.branch, attempt: 1 });
  const gone = { ...done.sandbox, attempt: 7, branch: `acumen/${planId}/7` };
  await expect(
    sandboxes.open({ planId, project, base: done.base, sandbox: gone }),
  ).rejects.toMatchObject({
    code: "FACADE_PLAN_ERROR",
  });
});

test("many applies to one repository at once are merged one after the other", async () => {
  await using bench = await sandboxBench();
  const { root } = bench;
  const plans = ["P1", "P2", "P3", "P4"];
  const ready = [];
  for (const planId of plans) {
    const one = { ...bench, planId };
    ready.push({
      one,
      done: await attempt(one, (path) => put(path, { [`${planId}.txt`]: "x\n" })),
    });
  }
  const results = await Promise.all(
    ready.map(async ({ one, done }) => one.sandboxes.apply(await applyOptions(one, done))),
  );
  expect(results.map(({ outcome }) => outcome)).toEqual(plans.map(() => "applied"));
  expect(await git(root, "status", "--porcelain")).toBe("");
  expect((await git(root, "ls-files")).split("\n")).toEqual([
    "P1.txt",
    "P2.txt",
    "P3.txt",
    "P4.txt",
    "a.txt",
  ]);
});

test("a merge that was done is found after a crash; one that was not is not", async () => {
  await using bench = await sandboxBench();
  const { sandboxes, project, planId, root } = bench;
  const done = await attempt(bench, (path) => put(path, { "a.txt": "plan\n" }));
  const merges: { commit: string | null; target_ref: string | null }[] = [];
  const stop = new Error("cancelled");
  const before = await fingerprint(root);
  const cancelled = await applyOptions(bench, done, {
    moving: (merge) => {
      merges.push(merge);
      return Promise.reject(stop);
    },
  });
  await expect(sandboxes.apply(cancelled)).rejects.toBe(stop);
  expect(await fingerprint(root)).toEqual(before);
  const place = { planId, project, base: done.base };
  const [merge] = merges;
  expect(await sandboxes.wasApplied(place, merge ?? { commit: null, target_ref: null })).toBe(
    false,
  );
  const result = await sandboxes.apply(await applyOptions(bench, done));
  const commit = result.outcome === "applied" ? result.commit : null;
  await writeFile(join(root, "later.txt"), "later\n");
  await commitAll(root, "later");
  expect(await sandboxes.wasApplied(place, { commit, target_ref: "refs/heads/main" })).toBe(true);
});

test("a branch that is gone, or in the middle of a merge, takes nothing", async () => {
  await using bench = await sandboxBench({ files: { "a.txt": "a\n", "b.txt": "b\n" } });
  const { sandboxes, root } = bench;
  const done = await attempt(bench, (path) => put(path, { "a.txt": "plan\n" }));
  await git(root, "checkout", "--quiet", "-b", "other");
  await writeFile(join(root, "b.txt"), "other\n");
  await commitAll(root, "other");
  await git(root, "checkout", "--quiet", "main");
  await git(root, "merge", "--quiet", "--no-commit", "--no-ff", "other");
  const before = await git(root, "status", "--porcelain");
  await expect(sandboxes.apply(await applyOptions(bench, done))).rejects.toMatchObject({
    code: "FACADE_INVALID_STATE",
  });
  expect(await git(root, "status", "--porcelain")).toBe(before);
  await git(root, "merge", "--abort");
  await put(root, { ".git/rebase-merge/head-name": "refs/heads/main\n" });
  await git(root, "checkout", "--quiet", "--detach");
  await expect(sandboxes.apply(await applyOptions(bench, done))).rejects.toThrow(/being rebased/);
  await rm(join(root, ".git", "rebase-merge"), { recursive: true });
  await git(root, "checkout", "--quiet", "other");
  await git(root, "branch", "--quiet", "-D", "main");
  await expect(sandboxes.apply(await applyOptions(bench, done))).rejects.toThrow(/is gone/);
});

test("of a change that the branch holds already, the validations count as not run, never as none", async () => {
  await using bench = await sandboxBench();
  const { sandboxes, root } = bench;
  const done = await attempt(bench, (path) => put(path, { "a.txt": "plan\n" }));
  await sandboxes.apply(await applyOptions(bench, done));
  const head = await git(root, "rev-parse", "main");
  const validated = () => Promise.reject(new Error("a validation ran"));
  const spec = { name: "own", run: "false", timeout_seconds: 60, network: false };
  const validations = [spec, { ...spec, name: "other" }];
  const again = await applyOptions(bench, done, { validations, validated });
  expect(await sandboxes.apply(again)).toMatchObject({
    outcome: "applied",
    commit: head,
    validations: ["own", "other"].map((name) => ({
      name,
      status: "not_run",
      exit_code: null,
      output: "The branch held the change before it was applied here.",
    })),
  });
  const without = await sandboxes.apply(await applyOptions(bench, done));
  expect(without).toMatchObject({ outcome: "applied", validations: "none" });
});
