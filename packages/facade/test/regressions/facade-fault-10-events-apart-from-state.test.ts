import { describe, expect, it, vi } from "vitest";
import type { AcpEvent } from "../../src/envelope/acp-event.ts";
import { ConflictError } from "../../src/errors/domain-error.ts";
import { AcpEventQueue } from "../../src/events/acp-event-queue.ts";
import {
  PLAN_TRIGGERS,
  type PlanPoint,
  pointOf,
  TRANSITIONS,
} from "../../src/plans/transitions.ts";
import type { StoreChange } from "../../src/store/facade-store.ts";
import { STORES } from "../support/facade-stores.ts";
import { planAt } from "../support/plan-at.ts";
import { callerOf, PlanBench, PROJECT } from "../support/plan-bench.ts";
import { draft } from "../events/support.ts";

it.each(STORES)(
  "the $name store keeps a change and its events together, or neither",
  async ({ open }) => {
    await using opened = await open();
    const { store } = opened;
    const queue = new AcpEventQueue({ store });
    const told: AcpEvent[] = [];
    queue.subscribeLocal((event) => void told.push(event));
    const write = async (version: number): Promise<void> => {
      const plan = planAt("execute/queued", { version });
      const data = { phase: "execute", state: "queued", attempt: 1, version };
      const drafts = [draft("plan.created", { plan_id: plan.plan_id, data })];
      await queue.commit({ plans: [plan], events: { owner: "local", drafts } });
    };
    await write(1);
    // Ten writers of one version: one is kept and told of, nine are neither.
    const tries = await Promise.allSettled(Array.from({ length: 10 }, () => write(2)));
    const lost = tries.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
    expect(lost).toHaveLength(9);
    expect(lost.every((error) => error instanceof ConflictError)).toBe(true);
    await vi.waitFor(() => expect(told).toHaveLength(2));
    expect(await queue.getEvents()).toEqual(told);
    // An event that may not be stored keeps its change from being stored.
    const bad = {
      plans: [planAt("execute/queued", { version: 3 })],
      events: { owner: "local", drafts: [draft("plan.created")] },
    };
    await expect(queue.commit(bad)).rejects.toMatchObject({ code: "FACADE_VALIDATION_ERROR" });
    expect((await store.plan("local", bad.plans[0]?.plan_id ?? ""))?.version).toBe(2);
    // Whoever is told finds the state that it is told of.
    let version: number | undefined;
    queue.subscribeLocal(async ({ plan_id: id }) => {
      version = (await store.plan("local", id ?? ""))?.version;
    });
    await write(3);
    await vi.waitFor(() => expect(version).toBe(3));
    await queue.close();
  },
);

describe.each(STORES)("every transition of a plan on the store $name", ({ open }) => {
  it("is one commit with the plan and its events, whatever way it goes", async () => {
    await using opened = await open();
    const changes: StoreChange[] = [];
    const bench = new PlanBench({
      store: opened.store,
      beforeCommit: (change) => void changes.push(change),
    });
    const { work } = bench.executor;
    const broken = (): Promise<never> => Promise.reject(new Error("broken"));
    const { plan_id: id } = await bench.create();
    await bench.settled(id);
    bench.executor.work = broken;
    await bench.execute(id);
    await bench.settled(id);
    bench.executor.work = work;
    await bench.execute(id, true);
    await bench.settled(id);
    await bench.plans.revertPlan(id, {}, callerOf());
    await bench.settled(id);
    await bench.execute(id);
    await bench.settled(id);
    // The target has another file of that name by now.
    bench.sandboxes.commit(PROJECT, { "new.txt": "other" });
    await bench.apply(id);
    expect((await bench.settled(id)).state).toBe("constrained");
    await bench.plans.cancelPlan(id, callerOf());
    const merged = await bench.executed();
    bench.sandboxes.hook = (moment) => (moment === "begin" ? broken() : Promise.resolve());
    await bench.apply(merged.plan_id);
    await bench.settled(merged.plan_id);
    bench.sandboxes.hook = () => Promise.resolve();
    bench.sandboxes.commit(PROJECT, { "new.txt": "new" });
    await bench.apply(merged.plan_id);
    expect((await bench.settled(merged.plan_id)).state).toBe("applied");

    const points = new Map<string, PlanPoint>();
    const met = new Set<string>();
    for (const { plans = [], events } of changes) {
      const drafts = events?.drafts ?? [];
      const types = drafts.map(({ event_type: type }) => type);
      for (const plan of plans) {
        const before = points.get(plan.plan_id) ?? null;
        const point = pointOf(plan);
        points.set(plan.plan_id, point);
        if (before === point) continue;
        const row = TRANSITIONS.find(
          ({ from, to, events: told }) =>
            from === before && to === point && told.every((type) => types.includes(type)),
        );
        expect(row, `${before} -> ${point}: ${types.join(" ")}`).toBeDefined();
        met.add(`${before} ${row?.trigger}`);
        for (const draft of drafts) expect(draft.plan_id).toBe(plan.plan_id);
        expect(drafts.at(-1)?.data).toMatchObject({ state: plan.state, version: plan.version });
      }
      // No event says where a plan stands without the plan that stands there.
      for (const { data } of drafts.filter(({ data: told }) => "version" in told)) {
        expect(plans.map(({ version }) => version)).toContain(data["version"]);
      }
    }
    expect(met.size).toBeGreaterThanOrEqual(16);
    const triggers = new Set([...met].map((each) => each.split(" ")[1]));
    // Only a process that ends makes the other one.
    expect(PLAN_TRIGGERS.filter((trigger) => !triggers.has(trigger))).toEqual(["requeue"]);
    await bench.plans.close();
  });
});
