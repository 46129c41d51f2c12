import { expect, it } from "vitest";
import { callerOf, PlanBench, PROJECT } from "../support/plan-bench.ts";

it("a second execute leaves a finished attempt as it is, and apply merges what was looked at", async () => {
  const bench = new PlanBench();
  const finished = await bench.executed();
  const { plan_id: id } = finished;
  for (const retry of [false, true]) {
    const options = { retry, waitMs: 1000 };
    await expect(bench.plans.executePlan(id, options, callerOf())).resolves.toEqual({
      plan: finished,
      already: true,
    });
  }
  expect(bench.executor.begun).toHaveLength(2);
  expect(bench.sandboxes.copies()).toEqual([finished.sandbox?.path]);
  await bench.apply(id);
  expect(await bench.settled(id)).toMatchObject({
    receipt: { stats: { files: 1 }, changeset_digest: finished.changeset?.digest },
  });
  expect(bench.sandboxes.files(PROJECT)).toHaveProperty("new.txt");
});

it("a second apply gives the first one's receipt and merges nothing", async () => {
  const bench = new PlanBench();
  const { plan_id: id } = await bench.executed();
  await bench.apply(id);
  const applied = await bench.settled(id);
  const head = bench.sandboxes.head(PROJECT);
  expect(await bench.apply(id)).toEqual(applied);
  expect(bench.sandboxes.head(PROJECT)).toBe(head);
  expect(bench.sandboxes.merges).toEqual([id]);
});

it("an apply whose sandbox is gone is an error, and never zero files applied", async () => {
  const bench = new PlanBench();
  const { plan_id: id } = await bench.executed();
  await bench.sandboxes.remove({ planId: id });
  await bench.apply(id);
  expect(await bench.settled(id)).toMatchObject({
    state: "errored",
    error: { code: "FACADE_PLAN_ERROR" },
    receipt: null,
  });
});

it("a retry begins a new attempt beside what the old one left", async () => {
  const bench = new PlanBench();
  const { work } = bench.executor;
  bench.executor.work = () => Promise.reject(new Error("broken"));
  const { plan_id: id } = await bench.executed();
  bench.executor.work = work;
  await bench.execute(id, true);
  await bench.settled(id);
  const numbers = bench.sandboxes.copies().map((path) => path.split("/").at(-1));
  expect(numbers).toEqual(["1", "2"]);
});
