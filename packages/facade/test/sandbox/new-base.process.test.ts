import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Project } from "../../src/sandbox/sandboxes.ts";
import { applyOptions, attempt, commitAll, git, never, put, sandboxBench } from "./support.ts";

test.each<Project["kind"]>(["git-checkout", "fs-directory"])(
  "%s: a new base for a plan leaves the old one and its attempt as they are, whichever the plan knows",
  async (kind) => {
    await using bench = await sandboxBench({ kind, files: { "a.txt": "a\n", "b.txt": "b\n" } });
    const { sandboxes, project, planId, root } = bench;
    const done = await attempt(bench, (path) => put(path, { "a.txt": "plan\n" }));
    await writeFile(join(root, "b.txt"), "later\n");
    if (kind === "git-checkout") {
      await commitAll(root, "later");
      // Nothing of the user's own keeps the old one.
      await git(root, "commit", "--quiet", "--amend", "-m", "another");
      await git(root, "checkout", "--quiet", "--orphan", "new");
      await commitAll(root, "root");
      await git(root, "branch", "--quiet", "-D", "main");
      await git(root, "branch", "--quiet", "-m", "main");
    }
    // As when the process dies before the plan has it.
    const base = await sandboxes.base(project, planId);
    expect(base.commit).not.toBe(done.base.commit);
    if (kind === "git-checkout") {
      await git(root, "reflog", "expire", "--expire=now", "--all");
      await git(root, "gc", "--quiet", "--prune=now");
    }
    expect(await sandboxes.readBase(project, done.base, "b.txt")).toBe("b\n");
    expect(await sandboxes.readBase(project, base, "b.txt")).toBe("later\n");
    const old = await sandboxes.diff({ project, ...done }, { format: "summary", signal: never });
    expect(old.changes.map(({ path }) => path)).toEqual(["a.txt"]);
    const again = await sandboxes.create({ planId, attempt: 2, project, base }, never);
    await put(again.path, { "a.txt": "plan 2\n" });
    await again.checkpoint("work");
    const next = { base, sandbox: again };
    expect(await sandboxes.apply(await applyOptions(bench, next))).toMatchObject({
      outcome: "applied",
      stats: { files: 1 },
    });
    await sandboxes.remove({ planId, project });
    if (kind === "git-checkout") expect(await git(root, "for-each-ref", "refs/acumen")).toBe("");
  },
);
