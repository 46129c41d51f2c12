import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { NO_USAGE } from "@acumen/models";
import type { PlanExecutor } from "../../src/plans/plan-executor.ts";
import { gitProject } from "../support/git-project.ts";
import { CALLER, contextBench, droppedOf, filesOf } from "./support.ts";

test("in a checkout git says what is ignored, and what was changed lately counts for more", async () => {
  await using project = await gitProject({
    ".gitignore": "*.log\n/out/\n",
    "AGENTS.md": "Root rules.\n",
    "src/old.ts": "export const old = 1;\n",
    "src/new.ts": "export const fresh = 1;\n",
    "vendor/lib.c": "int x;\n",
  });
  project.write("src/new.ts", "export const fresh = 2;\n");
  project.git("commit", "-aqm", "Second");
  project.write("src/working.ts", "export const working = 1;\n");
  project.write("debug.log", "log");
  project.write("out/made.js", "made");
  await using bench = await contextBench({}, { project: project.path });
  const context = await bench.ask({ explain: true });
  const recency = Object.fromEntries(
    context.fragments.flatMap(({ uri, scores }) => (scores ? [[uri, scores.recency]] : [])),
  );
  expect(recency["file:src/working.ts"]).toBe(1);
  expect(recency["file:src/new.ts"]).toBeLessThan(1);
  expect(recency["file:src/old.ts"]).toBeLessThan(recency["file:src/new.ts"] ?? 0);
  expect(droppedOf(context)).toEqual({
    "debug.log": "excluded",
    "out/": "excluded",
    vendor: "excluded",
  });
  expect(context.fragments[0]).toMatchObject({
    source: "instructions",
    uri: "file:AGENTS.md",
    content: "Root rules.",
  });
  expect((await bench.ask({ explain: true })).digest).toBe(context.digest);
});

test("in a checkout nothing that git ignores can be pinned, except what it tracks anyway", async () => {
  await using project = await gitProject({ ".gitignore": "*.log\n/out/\n" });
  for (const path of ["debug.log", "kept.log", "out/deep/made.js", "own.txt"]) {
    mkdirSync(join(project.path, path, ".."), { recursive: true });
    project.write(path, `Text of ${path}.\n`);
  }
  writeFileSync(join(project.path, ".git/info/exclude"), "own.txt\n");
  project.git("add", "-f", "kept.log");
  await using bench = await contextBench({}, { project: project.path });
  for (const path of ["debug.log", "out/deep/made.js", "own.txt"]) {
    await expect(bench.ask({ pinned: [path] })).rejects.toThrow(
      `"${path}" cannot be pinned: is ignored`,
    );
  }
  expect(filesOf(await bench.ask({ pinned: ["kept.log"] }))).toMatchObject({ "kept.log": "full" });
});

/** Changes two files in its sandbox. */
const writer: PlanExecutor = {
  strategize: async () => ({ rationale: "Write it.", steps: [], usage: NO_USAGE }),
  execute: async ({ sandbox }) => {
    writeFileSync(join(sandbox.path, "note.md"), "What was noted.\n");
    writeFileSync(join(sandbox.path, "README.md"), "# Another shop\n");
    writeFileSync(join(sandbox.path, ".npmrc"), "//r/:_authToken=lets-one-in\n");
    writeFileSync(join(sandbox.path, ".env"), "KEY=lets-one-in\n");
    return { summary: "Written.", usage: NO_USAGE };
  },
};

test("whoever reviews a plan has the change of its attempt, file by file", async () => {
  await using project = await gitProject();
  const options = { project: project.path, executor: writer };
  await using bench = await contextBench({}, options);
  const { plans } = bench;
  const input = { action_name: "builtin/task", arguments: { prompt: "Note it." } };
  const { plan_id: id } = await plans.useAction(input, CALLER);
  const early = await bench.ask({ plan_id: id, sources: ["diff"] });
  expect([early.fragments, early.warnings]).toEqual([[], []]);
  const { plan } = await plans.executePlan(id, { retry: false, waitMs: 30_000 }, CALLER);
  expect([plan.phase, plan.state]).toEqual(["execute", "complete"]);
  const context = await bench.ask({ plan_id: id, view: "reviewer" });
  const diff = context.fragments.filter(({ source }) => source === "diff");
  expect(diff.map(({ uri, detail }) => [uri, detail])).toEqual([
    [`diff:${id}/README.md`, "full"],
    [`diff:${id}/note.md`, "full"],
  ]);
  expect(diff[0]?.content).toContain("-# Shop\n+# Another shop");
  expect(diff[1]?.content).toContain("+What was noted.");
  expect(JSON.stringify(context)).not.toContain("lets-one-in");
  const secrets = [`diff:${id}/.env`, `diff:${id}/.npmrc`];
  expect(context.dropped).toMatchObject(secrets.map((uri) => ({ uri, reason: "denied" })));
  expect(filesOf(context)).toEqual({ "README.md": "full" });
  expect(context.fragments.map(({ source }) => source)).not.toContain("tools");
  const small = await bench.ask({ plan_id: id, view: "reviewer", budget_tokens: 256 });
  expect(small.fragments.filter(({ source }) => source === "diff")).toHaveLength(2);
});

test("nothing that a repository names runs", async () => {
  await using project = await gitProject({ ".gitattributes": "* filter=evil\n", "a.txt": "a\n" });
  const marker = join(project.path, "ran");
  project.git("config", "core.fsmonitor", `touch ${marker}`);
  project.git("config", "filter.evil.clean", `touch ${marker}; cat`);
  project.git("config", "core.pager", `touch ${marker}`);
  project.write("a.txt", "b\n");
  await using bench = await contextBench({}, { project: project.path });
  const context = await bench.ask();
  expect(Object.keys(filesOf(context))).toContain("a.txt");
  expect(Object.keys(filesOf(context))).not.toContain("ran");
});

test("without git the folder is looked through, and that is said", async () => {
  await using project = await gitProject({ "a.txt": "a\n" });
  const options = { project: project.path, environment: { PATH: "/nowhere" } };
  await using bench = await contextBench({}, options);
  const context = await bench.ask();
  expect(filesOf(context)).toEqual({ "a.txt": "full" });
  expect(context.warnings.join()).toMatch(/git could not list/);
});

test("pipes, endless names and strange bytes neither hang nor break anything", async () => {
  await using bench = await contextBench({
    "fine.txt": "fine",
    ".gitignore": `${"*a".repeat(100)}\n`,
    [`${"a".repeat(250)}`]: "long name",
    "new\nline.txt": "name of two lines",
    "half.txt": Buffer.from([...Buffer.from("text ".repeat(40)), 0xc3]),
  });
  const { project, folder } = bench;
  execFileSync("mkfifo", [join(project, "pipe.txt")]);
  writeFileSync(Buffer.concat([Buffer.from(`${project}/`), Buffer.from([0xff, 0xfe])]), "bytes");
  let deep = project;
  for (let depth = 0; depth < 60; depth += 1) {
    deep = join(deep, "d");
    mkdirSync(deep);
  }
  writeFileSync(join(deep, "deep.txt"), "deep");
  const context = await bench.ask();
  expect(filesOf(context)).toMatchObject({
    "fine.txt": "full",
    "half.txt": "full",
    "new%0Aline.txt": "full",
  });
  expect(droppedOf(context)).toMatchObject({ "pipe.txt": "denied" });
  expect(context.warnings.join()).toMatch(/larger than what is looked at/);
  expect(folder.path).not.toBe("");
});

test("5,000 files take seconds, and the one that matters is found", async () => {
  const words = "alpha beta gamma delta epsilon zeta eta theta iota kappa".split(" ");
  const files = Object.fromEntries(
    Array.from({ length: 5_000 }, (_, index) => [
      `src/part${index % 50}/file${index}.ts`,
      Array.from(
        { length: 40 },
        (_line, line) => `export const ${words[(index + line) % 10]}${index} = ${line};`,
      ).join("\n"),
    ]),
  );
  await using project = await gitProject({ ...files, "src/part7/odd.ts": "const zebra = 1;\n" });
  await using bench = await contextBench({}, { project: project.path });
  const started = performance.now();
  const context = await bench.ask({ query: "Where is the zebra?" });
  const took = performance.now() - started;
  process.stderr.write(`5,000 files: ${Math.round(took)} ms\n`);
  expect(took).toBeLessThan(30_000);
  expect(filesOf(context)["src/part7/odd.ts"]).toBe("full");
  expect(context.truncated).toBe(true);
  expect(context.dropped.length).toBe(200);
  expect(context.warnings.join()).toMatch(/more were left out than are listed/);
}, 120_000);
