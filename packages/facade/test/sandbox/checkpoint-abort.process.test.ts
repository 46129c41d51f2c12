import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { never, sandboxBench } from "./support.ts";

const MEGABYTE = Buffer.alloc(1024 * 1024, "0123456789abcdef\n");

test("a checkpoint of much work stops soon after an abort, and keeps nothing", async () => {
  await using bench = await sandboxBench();
  const { sandboxes, project, planId } = bench;
  const base = await sandboxes.base(project, planId);
  const sandbox = await sandboxes.create({ planId, attempt: 1, project, base }, never);
  await mkdir(join(sandbox.path, "large"));
  for (let index = 0; index < 300; index += 1) {
    // Different ones: the same content is stored once.
    const content = Buffer.concat([Buffer.from(String(index)), MEGABYTE]);
    await writeFile(join(sandbox.path, "large", `${index}.txt`), content);
  }
  const stop = new AbortController();
  const started = sandbox.checkpoint("work", stop.signal);
  const failed = expect(started).rejects.toThrow();
  await sleep(300);
  const before = performance.now();
  stop.abort();
  await failed;
  expect(performance.now() - before).toBeLessThan(3_000);
  const { changes } = await sandboxes.diff(
    { project, base, sandbox },
    { format: "summary", signal: never },
  );
  expect(changes).toEqual([]);
});
