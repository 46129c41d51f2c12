import { readFile, writeFile } from "node:fs/promises";
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

test("a change goes from the base through a checkpoint and a diff into the checked-out branch", async () => {
  await using bench = await sandboxBench();
  const { sandboxes, project, planId, root } = bench;
  const done = await attempt(bench, (path) =>
    put(path, { "a.txt": "one\n2\nthree\n", "new.txt": "x\n" }),
  );
  const { base, sandbox } = done;
  expect(base).toMatchObject({ target_ref: "refs/heads/main", warnings: [] });
  expect(sandbox.path).toBe(join(bench.home, "sandboxes", planId, "1", "work"));
  const place = { planId, project, base, sandbox };
  const diff = await sandboxes.diff(place, { format: "patch", signal: never });
  expect(diff.changes.map(({ path, op }) => `${op} ${path}`)).toEqual([
    "modify a.txt",
    "add new.txt",
  ]);
  expect(diff.stats).toEqual({ files: 2, insertions: 2, deletions: 1 });
  expect(diff.patch).toContain("-two\n+2\n");
  expect(await sandboxes.mergeability(place, never)).toEqual({
    target_head: base.commit,
    behind: 0,
    clean: true,
    conflicts: [],
  });
  const result = await sandboxes.apply(await applyOptions(bench, done));
  expect(result).toMatchObject({ outcome: "applied", validations: "none", stats: { files: 2 } });
  expect(await readFile(join(root, "a.txt"), "utf8")).toBe("one\n2\nthree\n");
  expect(await git(root, "status", "--porcelain")).toBe("");
  expect(await git(root, "log", "-1", "--format=%s")).toBe("Apply the plan");
});

test("a conflict leaves the user's repository as it was, byte for byte", async () => {
  await using bench = await sandboxBench();
  const { sandboxes, root } = bench;
  const done = await attempt(bench, (path) => put(path, { "a.txt": "one\nplan\nthree\n" }));
  await writeFile(join(root, "a.txt"), "one\nuser\nthree\n");
  await commitAll(root, "second");
  const before = await fingerprint(root);
  const result = await sandboxes.apply(await applyOptions(bench, done));
  expect(result).toMatchObject({
    outcome: "constrained",
    conflicts: [{ path: "a.txt", kind: "content" }],
  });
  expect(await fingerprint(root)).toEqual(before);
});
