import { expect, it } from "vitest";
import { callerOf, PlanBench } from "../support/plan-bench.ts";
import { untilStopped } from "../support/scripted-executor.ts";

it("a plan that was made begins to strategize without another call", async () => {
  const bench = new PlanBench();
  const { plan_id: id } = await bench.create();
  expect(await bench.settled(id)).toMatchObject({ phase: "strategize", state: "complete" });
});

it("plans can be listed, cancelled, retried and reverted", async () => {
  const bench = new PlanBench();
  const { plan_id: id } = await bench.executed();
  const { items } = await bench.plans.listPlans({ limit: 10 }, callerOf());
  expect(items.map(({ plan_id }) => plan_id)).toEqual([id]);
  await bench.plans.revertPlan(id, {}, callerOf());
  await bench.settled(id);
  bench.executor.work = () => Promise.reject(new Error("broken"));
  await bench.execute(id);
  expect((await bench.settled(id)).state).toBe("errored");
  bench.executor.work = untilStopped;
  await bench.plans.retryPlan(id, callerOf());
  await bench.until(id, ({ state }) => state === "processing");
  expect((await bench.plans.cancelPlan(id, callerOf())).plan.state).toBe("cancelled");
});
