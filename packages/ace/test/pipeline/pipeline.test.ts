import { AcumenError } from "@acumen/core";
import { expect, test } from "vitest";
import { Pipeline } from "../../src/pipeline/pipeline.ts";
import { stepFactory } from "../../src/pipeline/step.ts";

interface Fields {
  readonly item: string;
  readonly draft: string;
  readonly written: number;
}

const step = stepFactory<Fields>();
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const draft = step({
  name: "draft",
  stage: "prepare",
  requires: ["item"],
  provides: ["draft"],
  run: ({ item }) => ({ draft: `${item}!` }),
});

/** Writes drafts to a list; the only step with an effect. */
function writer(book: string[]) {
  return step({
    name: "write",
    stage: "commit",
    requires: ["draft"],
    provides: ["written"],
    run: (input) => ({ written: book.push(input.draft) }),
  });
}

const contexts = (...items: string[]) => items.map((item) => ({ item }));

test("carries the fields of each context through the steps", async () => {
  const book: string[] = [];
  const pipeline = new Pipeline<Fields>([draft, writer(book)], { inputs: ["item"] });
  const results = await pipeline.run(contexts("a", "b"), { workers: 2 });
  expect(results).toEqual([
    { index: 0, status: "done", fields: { item: "a", draft: "a!", written: 1 }, warnings: [] },
    { index: 1, status: "done", fields: { item: "b", draft: "b!", written: 2 }, warnings: [] },
  ]);
});

test("commits in input order although the first context is the slowest", async () => {
  const book: string[] = [];
  const slow = step({
    ...draft,
    run: async ({ item }) => {
      await wait(item === "a" ? 30 : 1);
      return { draft: item };
    },
  });
  const pipeline = new Pipeline<Fields>([slow, writer(book)], { inputs: ["item"] });
  const seen: number[] = [];
  await pipeline.run(contexts("a", "b", "c", "d"), {
    workers: 3,
    onResult: (result) => seen.push(result.index),
  });
  expect(book).toEqual(["a", "b", "c", "d"]);
  expect(seen).toEqual([0, 1, 2, 3]);
});

test("keeps at most `workers` contexts between their start and their commit", async () => {
  const started: string[] = [];
  const book: string[] = [];
  const lags: number[] = [];
  const tracked = step({
    ...draft,
    run: async ({ item }) => {
      started.push(item);
      lags.push(started.length - book.length);
      await wait(started.length % 3);
      return { draft: item };
    },
  });
  const pipeline = new Pipeline<Fields>([tracked, writer(book)], { inputs: ["item"] });
  await pipeline.run(contexts(..."abcdefghij".split("")), { workers: 3 });
  expect(Math.max(...lags)).toBe(3);
});

test("fails only the context whose step throws, and wraps what it threw", async () => {
  const book: string[] = [];
  const picky = step({
    ...draft,
    run: ({ item }) => {
      if (item === "b") throw new TypeError("key sk-secret refused");
      return { draft: item };
    },
  });
  const pipeline = new Pipeline<Fields>([picky, writer(book)], { inputs: ["item"] });
  const results = await pipeline.run(contexts("a", "b", "c"), { workers: 1 });
  expect(results.map((result) => result.status)).toEqual(["done", "failed", "done"]);
  expect(results[1]).toMatchObject({ failedAt: "draft", error: { code: "ACE_ROLE_FAILED" } });
  expect(results[1]?.error?.message).not.toContain("sk-secret");
  expect(results[1]?.error?.cause).toBeInstanceOf(TypeError);
  expect(book).toEqual(["a", "c"]);
});

test("runs after-steps for failed contexts too, and their errors are warnings", async () => {
  const audits: string[] = [];
  const failing = step({ ...draft, run: () => Promise.reject(new Error("no")) });
  const audit = step({
    name: "audit",
    stage: "after",
    requires: ["item"],
    provides: [],
    run: ({ item }) => {
      audits.push(item);
      throw new Error("disk full");
    },
  });
  const pipeline = new Pipeline<Fields>([failing, audit], { inputs: ["item"] });
  const results = await pipeline.run(contexts("a", "b"), { workers: 2 });
  expect(audits).toEqual(["a", "b"]);
  expect(results.map((result) => result.warnings.length)).toEqual([1, 1]);
});

test("a context that failed stays failed when the abort comes while it waits for its turn", async () => {
  const controller = new AbortController();
  const failing = step({ ...draft, run: () => Promise.reject(new Error("no")) });
  const audit = step({
    name: "audit",
    stage: "after",
    requires: ["item"],
    provides: [],
    run: () => ({}),
  });
  const pipeline = new Pipeline<Fields>([failing, audit], { inputs: ["item"] });
  const [result] = await pipeline.run(contexts("a"), {
    workers: 1,
    signal: controller.signal,
    exclusive: () => {
      controller.abort();
      return Promise.reject(new Error("gave up waiting"));
    },
  });
  expect(result).toMatchObject({ status: "failed", failedAt: "draft" });
});

test("a context whose turn never comes fails with a coded error", async () => {
  const pipeline = new Pipeline<Fields>([draft, writer([])], { inputs: ["item"] });
  const [result] = await pipeline.run(contexts("a"), {
    workers: 1,
    exclusive: () => Promise.reject(new Error("lock broken")),
  });
  expect(result).toMatchObject({ status: "failed", failedAt: "exclusive" });
});

test("ends at once on abort although a step never settles, and commits nothing afterwards", async () => {
  const book: string[] = [];
  const controller = new AbortController();
  let release = (): void => undefined;
  const stuck = step({
    ...draft,
    run: async ({ item }) => {
      if (item === "b") {
        setTimeout(() => controller.abort(), 5);
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      }
      return { draft: item };
    },
  });
  const pipeline = new Pipeline<Fields>([stuck, writer(book)], { inputs: ["item"] });
  const results = await pipeline.run(contexts("a", "b", "c"), {
    workers: 2,
    signal: controller.signal,
  });
  expect(results.map((result) => result.status)).toEqual(["done", "aborted", "aborted"]);
  expect(results[1]?.error?.code).toBe("CORE_ABORTED");
  release();
  await wait(5);
  expect(book).toEqual(["a"]);
});

test("an abandoned step that fails later leaves no unhandled rejection", async () => {
  const controller = new AbortController();
  const late = step({
    ...draft,
    run: async () => {
      controller.abort();
      await wait(5);
      throw new Error("too late");
    },
  });
  const pipeline = new Pipeline<Fields>([late], { inputs: ["item"] });
  const [result] = await pipeline.run(contexts("a"), { workers: 1, signal: controller.signal });
  expect(result?.status).toBe("aborted");
  await wait(15);
});

test("shows a step only the fields that it requires", async () => {
  let seen: object = {};
  const nosy = step({
    ...draft,
    run: (input) => {
      seen = input;
      return { draft: "" };
    },
  });
  const pipeline = new Pipeline<Fields>([nosy], { inputs: ["item", "written"] });
  await pipeline.run([{ item: "a", written: 3 }], { workers: 1 });
  expect(seen).toEqual({ item: "a" });
});

test.each([
  ["a missing input", {}, { draft: "x" }, 'requires "item"'],
  ["a promise not kept", { item: "a" }, {}, 'promised "draft"'],
  ["an undeclared field", { item: "a" }, { draft: "x", written: 1 }, '"written" without declaring'],
])("is checked when it runs: %s", async (_name, context, returned, message) => {
  const odd = step({ ...draft, run: () => returned as { draft: string } });
  const pipeline = new Pipeline<Fields>([odd], { inputs: ["item"] });
  const [result] = await pipeline.run([context], { workers: 1 });
  expect(result).toMatchObject({
    status: "failed",
    failedAt: "draft",
    error: { code: "ACE_PIPELINE_INVALID" },
  });
  expect(result?.error?.message).toContain(message);
});

test("is checked when it is built", () => {
  const write = writer([]);
  const build = (...steps: ConstructorParameters<typeof Pipeline<Fields>>[0]) => {
    try {
      new Pipeline<Fields>(steps, { inputs: ["item"] });
    } catch (error) {
      return AcumenError.isInstance(error) ? `${error.code}: ${error.message}` : error;
    }
    return "accepted";
  };
  expect(build(draft, write)).toBe("accepted");
  expect(build(write)).toMatch(
    /ACE_PIPELINE_INVALID: .*"write" requires "draft".*No step provides/,
  );
  expect(build({ ...write, stage: "prepare" }, draft)).toMatch(/"draft" provides it later/);
  expect(build(draft, write, { ...draft, name: "again" })).toMatch(/stage "prepare" follows/);
  expect(build(draft, draft)).toMatch(/Two steps are named "draft"/);
  expect(build(draft, { ...write, stage: "after" })).toMatch(/runs after failed samples too/);
});
