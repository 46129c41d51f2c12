import { execFile } from "node:child_process";
import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import type { Project } from "../../src/sandbox/sandboxes.ts";
import { applyOptions, attempt, commitAll, fingerprint, put, sandboxBench } from "./support.ts";

const run = promisify(execFile);
const FILES = { "a.txt": "a\n", "d/x.txt": "x\n", ".gitignore": "*.log\n" };

type Work = (root: string) => Promise<unknown>;

const plan = (files: Readonly<Record<string, string>>): Work => {
  return (root) => put(root, files);
};
const folderToFile: Work = async (root) => {
  await rm(join(root, "d"), { recursive: true });
  await put(root, { d: "plan\n" });
};
const pipe = (name: string): Work => {
  return async (root) => {
    await rm(join(root, name), { force: true });
    await run("mkfifo", [join(root, name)]);
  };
};

/** What the plan does, what the user did meanwhile, and which path is in the way. */
const CASES: Readonly<Record<string, readonly [Work, Work, string]>> = {
  "a folder where a file is to be": [plan({ n: "p" }), (root) => put(root, { "n/u": "u" }), "n"],
  "an empty folder where a file is to be": [
    plan({ n: "p" }),
    (root) => mkdir(join(root, "n/m"), { recursive: true }),
    "n",
  ],
  "a file where a folder is to be": [plan({ "n/x": "p" }), (root) => put(root, { n: "u" }), "n"],
  "an ignored file where a folder is to be": [
    plan({ "n.log/x": "p", ".gitignore": "" }),
    (root) => put(root, { "n.log": "u" }),
    "n.log",
  ],
  "a link where a folder is to be": [
    plan({ "n/x": "p" }),
    (root) => symlink("d", join(root, "n")),
    "n",
  ],
  "a link where a file is to be": [
    plan({ n: "p" }),
    (root) => symlink("nowhere", join(root, "n")),
    "n",
  ],
  "a pipe where a file is to be": [plan({ n: "p" }), pipe("n"), "n"],
  "a pipe where a folder is to be": [plan({ "n/x": "p" }), pipe("n"), "n"],
  "a pipe instead of a changed file": [plan({ "a.txt": "p" }), pipe("a.txt"), "a.txt"],
  "a folder instead of a changed file": [
    plan({ "a.txt": "p" }),
    async (root) => {
      await rm(join(root, "a.txt"));
      await mkdir(join(root, "a.txt"));
    },
    "a.txt",
  ],
  "a link instead of the folder of a new file": [
    plan({ "d/n": "p" }),
    async (root) => {
      await rename(join(root, "d"), join(root, "e"));
      await symlink("e", join(root, "d"));
    },
    "d",
  ],
  "a new file in a folder that becomes a file": [
    folderToFile,
    (root) => put(root, { "d/u.txt": "u" }),
    "d",
  ],
  "an ignored file in a folder that becomes a file": [
    folderToFile,
    (root) => put(root, { "d/u.log": "u" }),
    "d",
  ],
  "an empty folder in a folder that becomes a file": [
    folderToFile,
    (root) => mkdir(join(root, "d/e")),
    "d",
  ],
};

const KINDS: readonly Project["kind"][] = ["git-checkout", "fs-directory"];

describe.each(KINDS)("%s: in the way of a change", (kind) => {
  test("each is named, and nothing is written", async () => {
    const cases = Object.entries(CASES);
    const files = cases.flatMap(([name]) =>
      Object.entries(FILES).map(([path, text]) => [`${name}/${path}`, text] as const),
    );
    await using bench = await sandboxBench({ kind, files: Object.fromEntries(files) });
    const done = await attempt(bench, async (root) => {
      for (const [name, [work]] of cases) await work(join(root, name));
    });
    for (const [name, [, meanwhile]] of cases) await meanwhile(join(bench.root, name));
    const before = await fingerprint(bench.root);
    const result = await bench.sandboxes.apply(await applyOptions(bench, done));
    expect(result).toMatchObject({ outcome: "constrained" });
    const conflicts = result.outcome === "constrained" ? result.conflicts : [];
    expect(conflicts.map(({ path }) => path).toSorted()).toEqual(
      cases.map(([name, [, , path]]) => `${name}/${path}`).toSorted(),
    );
    expect(await fingerprint(bench.root)).toEqual(before);
  });

  test("a folder becomes a file, and a file a folder, where nothing else lies there", async () => {
    await using bench = await sandboxBench({ kind, files: FILES });
    const done = await attempt(bench, async (root) => {
      await folderToFile(root);
      await rm(join(root, "a.txt"));
      await put(root, { "a.txt/deep/er": "plan\n" });
    });
    expect(await bench.sandboxes.apply(await applyOptions(bench, done))).toMatchObject({
      outcome: "applied",
    });
    const found = await fingerprint(bench.root);
    expect([...found.keys()].filter((path) => !path.startsWith(".git")).toSorted()).toEqual([
      "a.txt",
      "a.txt/deep",
      "a.txt/deep/er",
      "d",
    ]);
  });

  test("names that are not UTF-8 stay as they are, and a plan that changes one says so", async () => {
    const odd = (root: string): Buffer =>
      Buffer.concat([Buffer.from(`${root}/odd`), Buffer.from([0xff, 0xfe])]);
    await using bench = await sandboxBench({ kind, files: FILES });
    const { sandboxes, root } = bench;
    await writeFile(odd(root), "odd\n");
    if (kind === "git-checkout") await commitAll(root, "odd");
    const done = await attempt(bench, (path) => put(path, { "a.txt": "plan\n" }));
    expect(await sandboxes.apply(await applyOptions(bench, done))).toMatchObject({
      outcome: "applied",
    });
    const second = { ...bench, planId: `${bench.planId}b` };
    const touching = await attempt(second, (path) => writeFile(odd(path), "plan\n"));
    const place = { project: bench.project, ...touching };
    const options = { format: "patch", signal: new AbortController().signal } as const;
    expect((await sandboxes.diff(place, options)).changes).toMatchObject([
      { path: String.raw`odd\xff\xfe`, note: "name that is not UTF-8" },
    ]);
    await expect(sandboxes.apply(await applyOptions(second, touching))).rejects.toMatchObject({
      code: "FACADE_INVALID_STATE",
      message: expect.stringMatching(/not UTF-8: odd\\xff\\xfe\. Rename/),
    });
  });
});

test("a repository within a plain folder whose name is not UTF-8 is named, and not left out", async () => {
  await using bench = await sandboxBench({ kind: "fs-directory", files: FILES });
  const inner = Buffer.concat([Buffer.from(`${bench.root}/in`), Buffer.from([0xe4])]);
  await mkdir(inner);
  await run("git", ["init", "--quiet", join(bench.folder.path, "inner")]);
  await writeFile(join(bench.folder.path, "inner", "f"), "f\n");
  await rm(inner, { recursive: true });
  await rename(join(bench.folder.path, "inner"), inner);
  await expect(bench.sandboxes.base(bench.project, bench.planId)).rejects.toMatchObject({
    code: "FACADE_INVALID_STATE",
    message: expect.stringMatching(/in\\xe4.*not UTF-8.*Rename it/),
  });
});
