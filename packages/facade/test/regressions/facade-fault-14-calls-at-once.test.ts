import { AcumenError } from "@acumen/core";
import { describe, expect, it } from "vitest";
import { callerOf, PlanBench, PROJECT } from "../support/plan-bench.ts";
import { STORES } from "../support/facade-stores.ts";

describe.each(STORES)("calls at once on the store $name", ({ open }) => {
  it("many executes run the executor once, many applies merge once", async () => {
    await using opened = await open();
    const bench = new PlanBench({ store: opened.store });
    const { plan_id: id } = await bench.create();
    await bench.settled(id);
    await Promise.all(Array.from({ length: 20 }, () => bench.execute(id)));
    await bench.settled(id);
    expect(bench.executor.begun.filter((text) => text.includes("execute"))).toHaveLength(1);
    const options = { expected_digest: null, expected_target_head: null, message: null };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        bench.plans.applyPlan(id, { ...options, waitMs: 30_000, dryRun: false }, callerOf()),
      ),
    );
    const commits = new Set(answers.map(({ plan }) => plan.receipt?.commit));
    expect(commits.size).toBe(1);
    expect(answers.filter(({ already }) => already !== true)).toHaveLength(1);
    expect(bench.sandboxes.merges).toEqual([id]);
  });

  it("of apply and cancel at once one wins, and the project says which", async () => {
    await using opened = await open();
    const bench = new PlanBench({ store: opened.store });
    for (let round = 0; round < 10; round += 1) {
      const { plan_id: id } = await bench.executed({ arguments: { prompt: `round ${round}` } });
      const before = bench.sandboxes.merges.length;
      const outcomes = await Promise.allSettled([
        bench.apply(id),
        bench.plans.cancelPlan(id, callerOf()),
      ]);
      for (const outcome of outcomes) {
        if (outcome.status === "fulfilled") continue;
        expect(AcumenError.isInstance(outcome.reason)).toBe(true);
        expect(outcome.reason).toMatchObject({ code: "FACADE_INVALID_STATE" });
      }
      const plan = await bench.settled(id);
      const merged = bench.sandboxes.merges.length - before;
      expect(plan.state).toBe(merged === 1 ? "applied" : "cancelled");
      expect(bench.sandboxes.head(PROJECT)).toBeDefined();
    }
  });

  it("retry and cancel at once leave no run behind", async () => {
    await using opened = await open();
    const bench = new PlanBench({ store: opened.store });
    bench.executor.work = () => Promise.reject(new Error("broken"));
    const { plan_id: id } = await bench.executed();
    await Promise.allSettled([
      bench.plans.retryPlan(id, callerOf()),
      bench.plans.cancelPlan(id, callerOf()),
      bench.plans.retryPlan(id, callerOf()),
    ]);
    await expect.poll(() => bench.executor.running).toBe(0);
    expect((await bench.settled(id)).state).toBe("cancelled");
  });
});
