import { sourceCommand, startProcess } from "@acumen/testkit";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import {
  applyOptions,
  attempt,
  type Attempt,
  fingerprint,
  git,
  put,
  type SandboxBench,
  sandboxBench,
} from "./support.ts";

const CHILD = fileURLToPath(new URL("crashing-apply.ts", import.meta.url));
const BEFORE = { "a.txt": "one\n", "b.txt": "two\n", "c.txt": "three\n" };
const AFTER = { "a.txt": "plan 1\n", "b.txt": "plan 2\n", "d/new.txt": "plan 3\n" };

interface Merge {
  readonly commit: string | null;
  readonly target_ref: string | null;
}

/** What had been announced when it died. */
async function crash(
  bench: SandboxBench,
  done: Attempt,
  point: string,
  count: number,
): Promise<Merge | undefined> {
  const file = bench.folder.join("apply.json");
  const { base, sandbox } = done;
  const { path, branch, attempt: number } = sandbox;
  const options = {
    ...(await applyOptions(bench, done)),
    base,
    sandbox: { path, branch, attempt: number },
  };
  await writeFile(file, JSON.stringify({ home: bench.home, options }));
  await using child = startProcess(sourceCommand(CHILD, [file, point, String(count)]));
  const exit = await child.exited;
  expect({ point, signal: exit.signal, stderr: child.stderr() }).toEqual({
    point,
    signal: "SIGKILL",
    stderr: "",
  });
  const text = await readFile(`${file}.moving`, "utf8").catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as Merge);
}

async function filesOf(root: string): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir(root, { recursive: true })).filter(
    (name) => !name.startsWith(".git"),
  );
  const found: Record<string, string> = {};
  for (const name of names.toSorted()) {
    const text = await readFile(join(root, name), "utf8").catch(() => undefined);
    if (text !== undefined) found[name] = text;
  }
  return found;
}

const change = (path: string): Promise<void> => put(path, AFTER);

test.each([
  ["merged", false],
  ["announced", false],
  ["handed_over", false],
  ["moved", true],
] as const)(
  "a checked-out branch, killed at %s: never half merged, and a restart knows",
  async (point, isMoved) => {
    await using bench = await sandboxBench({ files: BEFORE });
    const { root, sandboxes, planId, project } = bench;
    const done = await attempt(bench, change);
    await writeFile(join(root, "c.txt"), "dirty\n");
    const merge = await crash(bench, done, point, 1);
    expect(merge === undefined).toBe(point === "merged");
    const place = { planId, project, base: done.base };
    if (merge !== undefined) expect(await sandboxes.wasApplied(place, merge)).toBe(isMoved);
    const dirty = { "c.txt": "dirty\n" };
    expect(await filesOf(root)).toEqual(
      isMoved ? { ...BEFORE, ...AFTER, ...dirty } : { ...BEFORE, ...dirty },
    );
    expect(await git(root, "status", "--porcelain")).toBe(" M c.txt");
    const again = await sandboxes.apply(await applyOptions(bench, done));
    expect(again).toMatchObject({ outcome: "applied" });
    expect(await filesOf(root)).toEqual({ ...BEFORE, ...AFTER, ...dirty });
    expect(await git(root, "log", "--first-parent", "--format=%s")).toBe("Apply the plan\nfirst");
  },
);

test.each([
  ["merged", 1, false],
  ["announced", 1, false],
  ["journal", 1, true],
  ["file", 1, true],
  ["file", 2, true],
  ["file", 3, true],
  ["temp", 1, true],
  ["temp", 2, true],
  ["moved", 1, true],
] as const)(
  "a plain folder, killed at %s %i: never half written after a restart",
  async (point, count, isDone) => {
    await using bench = await sandboxBench({ files: BEFORE, kind: "fs-directory" });
    const { root, sandboxes, planId, project } = bench;
    const done = await attempt(bench, change);
    const merge = await crash(bench, done, point, count);
    const place = { planId, project, base: done.base };
    if (merge !== undefined) expect(await sandboxes.wasApplied(place, merge)).toBe(isDone);
    expect(await filesOf(root)).toEqual(isDone ? { ...BEFORE, ...AFTER } : BEFORE);
    if (isDone) return;
    expect(await sandboxes.apply(await applyOptions(bench, done))).toMatchObject({
      outcome: "applied",
    });
    expect(await filesOf(root)).toEqual({ ...BEFORE, ...AFTER });
  },
);

test("a checkout whose files were written, and whose branch was not moved any more, is finished", async () => {
  await using bench = await sandboxBench({ files: BEFORE });
  const { root, sandboxes, planId, project } = bench;
  const done = await attempt(bench, change);
  const merge = (await crash(bench, done, "handed_over", 1)) ?? { commit: "", target_ref: null };
  const commit = merge.commit ?? "";
  const place = { planId, project, base: done.base };
  await git(root, "read-tree", "-m", "-u", "HEAD", commit);
  expect(await git(root, "status", "--porcelain")).not.toBe("");
  expect(await sandboxes.wasApplied(place, merge)).toBe(true);
  expect(await git(root, "status", "--porcelain")).toBe("");
  expect(await git(root, "rev-parse", "main")).toBe(commit);
});

test("staged changes of the user are not taken for a merge that was not finished", async () => {
  await using bench = await sandboxBench({ files: BEFORE });
  const { root, sandboxes, planId, project } = bench;
  const done = await attempt(bench, change);
  const merge = (await crash(bench, done, "handed_over", 1)) ?? { commit: "", target_ref: null };
  await git(root, "read-tree", "-m", "-u", "HEAD", merge.commit ?? "");
  await writeFile(join(root, "c.txt"), "user\n");
  await git(root, "add", "c.txt");
  const before = await fingerprint(root);
  expect(await sandboxes.wasApplied({ planId, project, base: done.base }, merge)).toBe(false);
  expect(await fingerprint(root)).toEqual(before);
});
