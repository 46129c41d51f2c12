import { expect, it } from "vitest";
import { callerOf, PlanBench, PROJECT, TASK } from "../support/plan-bench.ts";

const CHECKED = {
  ...TASK,
  name: "team/checked",
  source: ".acumen/actions/checked.md",
  validations: [{ name: "tests", run: "npm test", timeout_seconds: 60, network: false }],
};

it.each(["plan.apply", "the profile full-auto", "plan.retry", "a second plan.apply"])(
  "a validation that fails keeps %s from merging",
  async (way) => {
    const bench = new PlanBench();
    bench.actions.set(CHECKED.name, CHECKED);
    bench.sandboxes.outcomes.set("tests", "failed");
    const isAuto = way === "the profile full-auto";
    const { plan_id: id } = await bench.create({
      action_name: CHECKED.name,
      ...(isAuto && { profile: "full-auto" as const }),
    });
    if (way === "plan.retry") {
      const { hook } = bench.sandboxes;
      bench.sandboxes.hook = (moment) =>
        moment === "begin" ? Promise.reject(new Error("disk")) : Promise.resolve();
      await bench.execute(id);
      await bench.settled(id);
      await bench.apply(id);
      await bench.settled(id);
      bench.sandboxes.hook = hook;
      await bench.plans.retryPlan(id, callerOf());
    } else if (!isAuto) {
      await bench.execute(id);
      await bench.settled(id);
      await bench.apply(id);
      if (way === "a second plan.apply") {
        await bench.settled(id);
        await bench.apply(id);
      }
    }
    const plan = await bench.settled(id);
    expect(plan).toMatchObject({
      phase: "apply",
      state: "constrained",
      validations: [{ name: "tests", status: "failed" }],
      receipt: null,
    });
    expect(bench.sandboxes.files(PROJECT)).toEqual({ "README.md": "shop" });
    expect(await bench.eventTypes(id)).toEqual(
      expect.arrayContaining(["validation.started", "validation.failed", "plan.constrained"]),
    );
  },
);

it("validations are those of the base: what an attempt writes into the action changes nothing", async () => {
  const bench = new PlanBench();
  bench.actions.set(CHECKED.name, CHECKED);
  bench.executor.work = ({ sandbox }) => {
    bench.sandboxes.write(sandbox, CHECKED.source, "no validations any more");
    bench.actions.set(CHECKED.name, { ...CHECKED, validations: [] });
    return Promise.resolve();
  };
  const { plan_id: id, action } = await bench.executed({ action_name: CHECKED.name });
  expect(action.validations).toEqual(CHECKED.validations);
  await bench.apply(id);
  expect(await bench.settled(id)).toMatchObject({ receipt: { validations: [{ name: "tests" }] } });
});

it("that there are none is said", async () => {
  const bench = new PlanBench();
  const { plan_id: id } = await bench.executed();
  await bench.apply(id);
  expect((await bench.settled(id)).receipt?.validations).toBe("none");
});
