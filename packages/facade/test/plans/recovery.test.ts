import { describe, expect, it } from "vitest";
import type { Plan } from "../../src/plans/plan.ts";
import { pointOf } from "../../src/plans/transitions.ts";
import { STORES } from "../support/facade-stores.ts";
import { planAt } from "../support/plan-at.ts";
import { callerOf, PlanBench, PROJECT } from "../support/plan-bench.ts";
import { untilStopped } from "../support/scripted-executor.ts";

describe.each(STORES)("a restart on the store $name", ({ open }) => {
  async function restarted(
    plan: Plan,
    use: (bench: PlanBench) => Promise<void>,
    before: (bench: PlanBench) => void | Promise<void> = () => undefined,
  ): Promise<void> {
    await using opened = await open();
    const bench = new PlanBench({ store: opened.store });
    await bench.store.commit({ plans: [plan] });
    await before(bench);
    await bench.plans.start();
    await use(bench);
    await bench.plans.close();
  }

  it.each(["strategize/processing", "execute/processing"] as const)(
    "runs again what was %s, with the same attempt",
    async (point) => {
      const approval = {
        call_id: "c",
        plan_id: "p",
        tool: "builtin/bash",
        title: "",
        command: null,
        paths: [],
        input: "",
        reason: "",
        options: [],
        requested_at: "",
        expires_at: "",
      };
      const plan = planAt(point, {
        worker: "gone",
        runs: 1,
        pending_approvals: [approval],
        waiting_for: "approval.respond",
      });
      await restarted(plan, async (bench) => {
        const settled = await bench.settled(plan.plan_id);
        expect(settled).toMatchObject({ state: "complete", attempt: 1, pending_approvals: [] });
        expect(bench.executor.begun).toHaveLength(1);
      });
    },
  );

  it("gives up after three interrupted runs, until somebody retries", async () => {
    const plan = planAt("execute/processing", { worker: "gone", runs: 3 });
    await restarted(plan, async (bench) => {
      const failed = await bench.settled(plan.plan_id);
      expect(failed).toMatchObject({
        state: "errored",
        error: { code: "FACADE_PLAN_ERROR", retryable: true },
      });
      expect(bench.executor.begun).toEqual([]);
      await bench.plans.retryPlan(plan.plan_id, callerOf());
      expect(await bench.settled(plan.plan_id)).toMatchObject({ state: "complete", attempt: 2 });
    });
  });

  it("finishes a merge that the target has, and repeats one that it has not", async () => {
    const merge = { commit: "merge-9", target_ref: "refs/heads/main", target_head: "commit-1" };
    const plan = planAt("apply/processing", { worker: "gone", runs: 1, merge });
    await restarted(
      plan,
      async (bench) => {
        expect(await bench.plan(plan.plan_id)).toMatchObject({
          state: "applied",
          receipt: { commit: "merge-9", changeset_digest: plan.changeset?.digest },
          merge: null,
        });
        expect(bench.sandboxes.merges).toEqual([]);
      },
      (bench) => {
        bench.sandboxes.commitAs(PROJECT, "merge-9", { "new.txt": "new" });
      },
    );
    await restarted(
      plan,
      async (bench) => {
        await bench.settled(plan.plan_id);
        expect(pointOf(await bench.plan(plan.plan_id))).toBe("apply/applied");
        expect(bench.sandboxes.merges).toEqual([plan.plan_id]);
      },
      async (bench) => {
        const { plan_id: planId, base } = plan;
        const { signal } = new AbortController();
        const sandbox = await bench.sandboxes.create({ planId, attempt: 1, base }, signal);
        bench.sandboxes.write(sandbox, "new.txt", "new");
        const { digest } = await bench.sandboxes.diff(
          { base, sandbox },
          { format: "summary", signal },
        );
        const changeset = plan.changeset === null ? null : { ...plan.changeset, digest };
        await bench.store.commit({ plans: [{ ...plan, version: 2, changeset }] });
      },
    );
  });

  it("goes on from between the phases", async () => {
    const plan = planAt("strategize/complete", { execute_requested: true });
    await restarted(plan, async (bench) => {
      await bench.until(plan.plan_id, (now) => pointOf(now) === "execute/complete");
    });
  });

  it("sweeps what no plan that is not over has", async () => {
    const alive = planAt("execute/errored");
    await restarted(alive, (bench) => {
      expect(bench.sandboxes.sweptFor).toEqual(new Set([alive.plan_id]));
      return Promise.resolve();
    });
    await restarted(planAt("apply/applied"), (bench) => {
      expect(bench.sandboxes.sweptFor).toEqual(new Set());
      return Promise.resolve();
    });
  });

  it("an end in good order counts as no run", async () => {
    await using opened = await open();
    for (let round = 1; round <= 5; round += 1) {
      const bench = new PlanBench({ store: opened.store });
      bench.executor.strategy = untilStopped;
      if (round === 1) await bench.create();
      else await bench.plans.start();
      await expect.poll(() => bench.executor.running).toBe(1);
      await bench.plans.close();
    }
    const bench = new PlanBench({ store: opened.store });
    await bench.plans.start();
    const { items } = await bench.plans.listPlans({ limit: 1 }, callerOf());
    const id = items[0]?.plan_id ?? "";
    expect(pointOf(await bench.settled(id))).toBe("strategize/complete");
    expect((await bench.plan(id)).attempt).toBe(1);
  });

  it("without an executor lets plans wait for one", async () => {
    await using opened = await open();
    const bench = new PlanBench({ store: opened.store, executor: "none" });
    await bench.store.commit({
      plans: [planAt("execute/processing", { worker: "gone", runs: 1 })],
    });
    await bench.plans.start();
    const { plan_id: id } = planAt("execute/processing");
    expect(await bench.settled(id)).toMatchObject({
      state: "queued",
      waiting_for: "service plan_executor",
    });
  });
});
