import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  applyOptions,
  commitAll,
  git,
  never,
  put,
  sandboxBench,
  type SandboxBench,
} from "./support.ts";

const FOLDERS = 100;
const FILES = 100;
/** Far above what an idle machine needs; a step that is not linear takes longer. */
const LIMIT_MS = 60_000;

async function largeBench(kind: "git-checkout" | "fs-directory"): Promise<SandboxBench> {
  const bench = await sandboxBench({ kind });
  for (let folder = 0; folder < FOLDERS; folder += 1) {
    await mkdir(join(bench.root, `d${folder}`));
    await Promise.all(
      Array.from({ length: FILES }, (_, file) =>
        writeFile(
          join(bench.root, `d${folder}`, `f${file}.txt`),
          `file ${folder} ${file}\n`.repeat(10),
        ),
      ),
    );
  }
  if (kind === "git-checkout") await commitAll(bench.root, "many");
  return bench;
}

test.each(["git-checkout", "fs-directory"] as const)(
  "10,000 files of a %s in reasonable time",
  async (kind) => {
    await using bench = await largeBench(kind);
    const { sandboxes, project, planId, root } = bench;
    const times: Record<string, number> = {};
    const timed = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
      const startedAt = performance.now();
      const result = await work();
      times[name] = Math.round(performance.now() - startedAt);
      return result;
    };
    const base = await timed("base", () => sandboxes.base(project, planId));
    const sandbox = await timed("create", () =>
      sandboxes.create({ planId, attempt: 1, project, base }, never),
    );
    for (let folder = 0; folder < FOLDERS; folder += 1)
      await put(sandbox.path, { [`d${folder}/f0.txt`]: "plan\n" });
    await timed("checkpoint", () => sandbox.checkpoint("work"));
    const place = { planId, project, base, sandbox };
    const diff = await timed("diff", () =>
      sandboxes.diff(place, { format: "patch", signal: never }),
    );
    expect(diff.stats.files).toBe(FOLDERS);
    expect(await timed("mergeability", () => sandboxes.mergeability(place, never))).toMatchObject({
      clean: true,
    });
    const options = await applyOptions(bench, { base, sandbox });
    expect(await timed("apply", () => sandboxes.apply(options))).toMatchObject({
      outcome: "applied",
    });
    expect(await readFile(join(root, "d99", "f0.txt"), "utf8")).toBe("plan\n");
    if (kind === "git-checkout") expect(await git(root, "status", "--porcelain")).toBe("");
    await timed("remove", () => sandboxes.remove({ planId, project }));
    expect(Object.entries(times).filter(([, ms]) => ms > LIMIT_MS)).toEqual([]);
    if (process.env["ACUMEN_SHOW_TIMES"] !== undefined)
      await writeFile(process.env["ACUMEN_SHOW_TIMES"] + kind, JSON.stringify(times));
  },
);

test("an abort while a large repository is copied is heard at once", async () => {
  await using bench = await largeBench("git-checkout");
  const { sandboxes, project, planId } = bench;
  const base = await sandboxes.base(project, planId);
  const controller = new AbortController();
  const work = sandboxes.create({ planId, attempt: 1, project, base }, controller.signal);
  let abortedAt = 0;
  const path = join(bench.home, "sandboxes", planId, "1", "work");
  const watching = setInterval(() => {
    readdir(path).then(
      () => {
        abortedAt ||= performance.now();
        controller.abort();
      },
      () => undefined,
    );
  }, 5);
  try {
    await expect(work).rejects.toMatchObject({ code: "CORE_ABORTED" });
    expect(performance.now() - abortedAt).toBeLessThan(3_000);
  } finally {
    clearInterval(watching);
  }
  // The same attempt can be made anew.
  const again = await sandboxes.create({ planId, attempt: 1, project, base }, never);
  expect(await readdir(again.path)).toHaveLength(FOLDERS + 2);
});
