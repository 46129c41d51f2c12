import { tempFolder } from "@acumen/testkit";
import { silentLogger } from "@acumen/core";
import { chmod, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { expect, test, vi } from "vitest";
import { Trash } from "../../src/sandbox/trash.ts";

test("a folder is gone at once with all that is in it, and what links of it lead to is not", async () => {
  await using folder = await tempFolder("trash");
  const trash = new Trash(folder.join("trash"), silentLogger);
  const path = folder.join("plan");
  await mkdir(`${path}/a/b`, { recursive: true });
  await mkdir(folder.join("kept"));
  await writeFile(folder.join("kept", "x"), "");
  await writeFile(`${path}/a/b/x`, "");
  await symlink(folder.join("kept"), `${path}/a/link`);
  await chmod(`${path}/a`, 0o000);
  await trash.take(path);
  expect((await readdir(folder.path)).toSorted()).toEqual(["kept", "trash"]);
  expect(await readdir(folder.join("trash"))).toEqual([]);
  expect(await readdir(folder.join("kept"))).toEqual(["x"]);
  await trash.take(folder.join("none"));
});

test("a large one is removed while others go on, and what is left is removed by the next process", async () => {
  await using folder = await tempFolder("trash");
  const path = folder.join("plan");
  const files = Array.from({ length: 4000 }, (_none, index) => `${path}/${index % 4}/${index}`);
  for (const name of ["0", "1", "2", "3"]) await mkdir(`${path}/${name}`, { recursive: true });
  await Promise.all(files.map((file) => writeFile(file, "")));
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  const before = performance.now();
  await new Trash(folder.join("trash"), silentLogger).take(path, { wait: false });
  expect(performance.now() - before).toBeLessThan(1000);
  expect(await readdir(folder.path)).toEqual(["trash"]);
  await mkdir(folder.join("trash", "left"));
  await writeFile(folder.join("trash", "left", "x"), "");
  await new Trash(folder.join("trash"), silentLogger).empty();
  await vi.waitFor(async () => expect(await readdir(folder.join("trash"))).toEqual([]), 30_000);
  delays.disable();
  expect(delays.max / 1e6).toBeLessThan(1000);
});
