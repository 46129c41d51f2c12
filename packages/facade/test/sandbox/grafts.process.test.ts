import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { applyOptions, attempt, commitAll, git, never, put, sandboxBench } from "./support.ts";

test("grafts and replaced objects of the user's repository change neither a plan's base nor its merge", async () => {
  await using bench = await sandboxBench({ files: { "a.txt": "one\n", "b.txt": "b\n" } });
  const { root, sandboxes, project } = bench;
  const first = await git(root, "rev-parse", "HEAD");
  await put(root, { "b.txt": "b2\n" });
  const second = await commitAll(root, "second");
  await writeFile(join(root, "fake.txt"), "fake\n");
  const fake = await git(root, "hash-object", "-w", "fake.txt");
  await git(root, "replace", await git(root, "rev-parse", "HEAD:a.txt"), fake);
  await git(root, "replace", second, first);
  const done = await attempt(bench, async (path) => {
    expect(await readFile(join(path, "b.txt"), "utf8")).toBe("b2\n");
    expect(await readFile(join(path, "a.txt"), "utf8")).toBe("one\n");
    await put(path, { "a.txt": "plan\n" });
  });
  expect(done.base.commit).toBe(second);
  expect(await sandboxes.readBase(project, done.base, "a.txt")).toBe("one\n");
  await git(root, "checkout", "--quiet", "--detach");
  const tree = await git(root, "--no-replace-objects", "rev-parse", `${second}^{tree}`);
  const third = await git(root, "commit-tree", tree, "-p", second, "-m", "third");
  await git(root, "update-ref", "refs/heads/main", third);
  // As if the new head had no history in common with the base.
  await writeFile(join(root, ".git/info/grafts"), `${third}\n`);
  const place = { ...bench, ...done };
  expect(await sandboxes.mergeability(place, never)).toMatchObject({
    target_head: third,
    behind: 1,
    clean: true,
  });
  const applied = await sandboxes.apply(await applyOptions(bench, done));
  expect(applied).toMatchObject({ outcome: "applied", stats: { files: 1 } });
  const real = (...args: string[]) => git(root, "--no-replace-objects", ...args);
  expect(await real("show", "main:a.txt")).toBe("plan");
  expect(await real("show", "main:b.txt")).toBe("b2");
  expect(await real("rev-parse", "main^1")).toBe(third);
});
