import { expect, it, vi } from "vitest";
import type { AcpEvent } from "../../src/envelope/acp-event.ts";
import { ConflictError } from "../../src/errors/domain-error.ts";
import { AcpEventQueue } from "../../src/events/acp-event-queue.ts";
import { STORES } from "../support/facade-stores.ts";
import { planAt } from "../support/plan-at.ts";
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
