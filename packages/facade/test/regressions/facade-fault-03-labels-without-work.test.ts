import { expect, it } from "vitest";
import { PlanError } from "../../src/errors/domain-error.ts";
import { PlanBench, PROJECT } from "../support/plan-bench.ts";

it("a state says what was done: execute ran the executor, apply changed the project", async () => {
  const bench = new PlanBench();
  const { plan_id: id } = await bench.executed();
  expect(bench.executor.begun).toEqual([`${id} strategize 1`, `${id} execute 1`]);
  await bench.apply(id);
  expect(await bench.settled(id)).toMatchObject({
    state: "applied",
    receipt: { stats: { files: 1 } },
  });
  expect(bench.sandboxes.files(PROJECT)).toHaveProperty("new.txt", "new");
});

it("no merge that failed is called applied", async () => {
  const bench = new PlanBench();
  const { plan_id: id } = await bench.executed();
  bench.sandboxes.hook = (moment) =>
    moment === "begin" ? Promise.reject(new PlanError("The disk is full.")) : Promise.resolve();
  await bench.apply(id);
  expect(await bench.settled(id)).toMatchObject({
    phase: "apply",
    state: "errored",
    receipt: null,
    error: { message: "The disk is full." },
  });
  expect(await bench.eventTypes(id)).not.toContain("plan.applied");
});
