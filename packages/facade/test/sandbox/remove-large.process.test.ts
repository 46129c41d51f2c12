import { sourceCommand, startProcess } from "@acumen/testkit";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { GitSandboxes } from "../../src/sandbox/git-sandboxes.ts";
import { put, sandboxBench } from "./support.ts";

const CHILD = fileURLToPath(new URL("removing-plan.ts", import.meta.url));
const FOLDERS = 50;
const FILES = 1000;

test("a plan with 50,000 files is removed in a moment, the process ends, and the next one removes the rest", async () => {
  await using bench = await sandboxBench({ kind: "fs-directory", files: { "a.txt": "a\n" } });
  const { home, project, planId, sandboxes } = bench;
  await sandboxes.base(project, planId);
  const work = `${home}/sandboxes/${planId}/1/work`;
  for (let folder = 0; folder < FOLDERS; folder += 1) {
    await mkdir(`${work}/${folder}`, { recursive: true });
    const names = Array.from({ length: FILES }, (_none, index) => `${work}/${folder}/${index}`);
    await Promise.all(names.map((name) => writeFile(name, "")));
  }
  await put(bench.folder.path, { "options.json": JSON.stringify({ home, project, planId }) });
  await using child = startProcess(sourceCommand(CHILD, [bench.folder.join("options.json")]));
  const exit = await child.exited;
  expect({ code: exit.code, stderr: child.stderr() }).toEqual({ code: 0, stderr: "" });
  const said = JSON.parse(child.stdout()) as { removed_ms: number; ended_ms: number };
  expect(said.removed_ms).toBeLessThan(3000);
  expect(said.ended_ms).toBeLessThan(1000);
  expect(await readdir(`${home}/sandboxes`)).toEqual([]);
  expect(await readdir(`${home}/sandboxes.trash`)).toHaveLength(1);
  const next = new GitSandboxes({ home, environment: { PATH: process.env["PATH"] } });
  await next.sweep(new Set());
  await vi.waitFor(async () => expect(await readdir(`${home}/sandboxes.trash`)).toEqual([]), {
    timeout: 60_000,
    interval: 200,
  });
}, 120_000);
