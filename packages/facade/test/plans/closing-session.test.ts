import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Plan } from "../../src/plans/plan.ts";
import { pointOf } from "../../src/plans/transitions.ts";
import { activePlans } from "../../src/sessions/active-plans.ts";
import { SessionRegistry } from "../../src/sessions/session-registry.ts";
import type { FacadeStore } from "../../src/store/facade-store.ts";
import { STORES } from "../support/facade-stores.ts";
import { callerOf, PlanBench } from "../support/plan-bench.ts";

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((done) => setImmediate(done));
};

/** Plans and sessions over one store; each plan takes so many turns of the loop until its base is known. */
function benchOf(store: FacadeStore, baseTurns: () => number = () => 0) {
  const bench: PlanBench = new PlanBench({
    store,
    sessionService: { get: (id, caller) => sessions.get(id, caller) },
  });
  const sessions = new SessionRegistry({
    store,
    commit: (change) => bench.queue.commit(change),
    activePlans: (id, caller) => activePlans(store, id, caller),
    cancelPlan: (id, caller) => bench.plans.cancelPlan(id, caller),
    checkActor: () => undefined,
    clock: bench.clock,
  });
  const base = bench.sandboxes.base.bind(bench.sandboxes);
  bench.sandboxes.base = async (project, planId) => {
    await turns(baseTurns());
    return base(project, planId);
  };
  const close = (id: string) =>
    sessions.delete(id, { keepHistory: true, cancelPlans: true }, callerOf());
  return { bench, sessions, close };
}

async function plansOf({ store }: PlanBench, sessionId: string): Promise<readonly Plan[]> {
  return (await store.plans({ owner: "local", sessionId, limit: 200 })).items;
}

describe.each(STORES)("a session that is closed on the store $name", ({ name, open }) => {
  it("takes no plan whose project was read meanwhile, and nothing of that plan is left", async () => {
    await using opened = await open();
    let closed: Promise<unknown> | undefined;
    const { bench, sessions, close } = benchOf(opened.store);
    const { session_id: id } = await sessions.create({}, callerOf());
    const base = bench.sandboxes.base.bind(bench.sandboxes);
    bench.sandboxes.base = async (project, planId) => {
      await (closed ??= close(id));
      return base(project, planId);
    };
    await expect(bench.create({ session_id: id })).rejects.toMatchObject({
      code: "FACADE_INVALID_STATE",
      details: { session_id: id, status: "closed" },
    });
    expect(await plansOf(bench, id)).toEqual([]);
    expect(bench.sandboxes.pins).toEqual(new Set());
    await bench.plans.close();
  });

  it("cancels a plan that was made after it looked for plans", async () => {
    await using opened = await open();
    const { bench, sessions, close } = benchOf(opened.store);
    const { session_id: id } = await sessions.create({}, callerOf());
    const { plans } = opened.store;
    let made: Promise<Plan> | undefined;
    opened.store.plans = async (query) => {
      const page = await plans.call(opened.store, query);
      await (made ??= bench.create({ session_id: id }));
      return page;
    };
    expect(await close(id)).toMatchObject({ session: { status: "closed" }, already: false });
    expect((await plansOf(bench, id)).map(pointOf)).toEqual(["strategize/cancelled"]);
    await bench.plans.close();
  });

  it("has no plan that goes on, whoever was faster", async () => {
    const delays = fc.array(fc.nat(6), { minLength: 1, maxLength: 6 });
    const race = fc.asyncProperty(delays, fc.nat(8), async (baseTurns, closeTurns) => {
      await using opened = await open();
      const left = [...baseTurns];
      const { bench, sessions, close } = benchOf(opened.store, () => left.shift() ?? 0);
      const { session_id: id } = await sessions.create({}, callerOf());
      const creations = baseTurns.map(() => bench.create({ session_id: id }));
      await turns(closeTurns);
      const [closed, ...made] = await Promise.allSettled([close(id), ...creations]);
      expect(closed).toMatchObject({ status: "fulfilled" });
      const answered = made.flatMap((one) =>
        one.status === "fulfilled" ? [one.value.plan_id] : [],
      );
      const plans = await plansOf(bench, id);
      expect(plans.map(({ plan_id }) => plan_id).toSorted()).toEqual(answered.toSorted());
      expect(plans.filter(({ state }) => state !== "cancelled")).toEqual([]);
      for (const one of made) {
        if (one.status === "rejected") {
          expect(one.reason).toMatchObject({ code: "FACADE_INVALID_STATE" });
        }
      }
      await bench.plans.close();
    });
    await fc.assert(race, { numRuns: name === "memory" ? 60 : 10 });
  });

  it("takes many plans at once while it is open", async () => {
    await using opened = await open();
    const { bench, sessions } = benchOf(opened.store);
    const { session_id: id } = await sessions.create({}, callerOf());
    const made = await Promise.all(
      Array.from({ length: 30 }, () => bench.create({ session_id: id })),
    );
    expect(await plansOf(bench, id)).toHaveLength(30);
    expect(await sessions.get(id, callerOf())).toMatchObject({ status: "open", version: 31 });
    expect(new Set(made.map(({ plan_id }) => plan_id)).size).toBe(30);
    await bench.plans.close();
  });
});
