import { expect, it } from "vitest";
import { ActiveRuns, RunLost } from "../../src/plans/active-runs.ts";
import { changed } from "../../src/plans/plan-move.ts";
import { PlanRecords } from "../../src/plans/plan-records.ts";
import type { Plan } from "../../src/plans/plan.ts";
import { MemoryFacadeStore } from "../../src/store/memory-facade-store.ts";
import { planAt } from "../support/plan-at.ts";

/** A run that has the plan, and what becomes of its next write when the record is changed first. */
async function writeAfter(change: (worker: string) => Partial<Plan>): Promise<Plan> {
  const store = new MemoryFacadeStore();
  const records = new PlanRecords(store, store, () => () => undefined);
  const first = planAt("apply/processing");
  await store.commit({ plans: [first] });
  const key = { owner: first.owner, planId: first.plan_id };
  let result: Promise<Plan> | undefined;
  await new ActiveRuns(records, () => () => undefined).with(key, async (run) => {
    const now = new Date();
    await store.commit({ plans: [{ ...first, ...change(run.worker), version: 2 }] });
    result = run.update((plan) => ({ plan: changed(plan, { findings: "x" }, now), drafts: [] }));
    await result.catch(() => undefined);
  });
  if (result === undefined) throw new Error("It did not run.");
  return result;
}

it("a run writes while the plan is its own", async () => {
  await expect(writeAfter((worker) => ({ worker }))).resolves.toMatchObject({ findings: "x" });
});

it("a run writes nothing into a plan that was cancelled, also before it hears of that", async () => {
  const cancelled = writeAfter((worker) => ({ worker, state: "cancelled" }));
  await expect(cancelled).rejects.toBeInstanceOf(RunLost);
});

it("a run writes nothing into a plan that another one has", async () => {
  await expect(writeAfter(() => ({ worker: "other" }))).rejects.toBeInstanceOf(RunLost);
});
