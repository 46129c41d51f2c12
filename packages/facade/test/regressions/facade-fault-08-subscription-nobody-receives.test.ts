import { expect, it, vi } from "vitest";
import { AcpEventQueue } from "../../src/events/acp-event-queue.ts";
import { planAt } from "../support/plan-at.ts";
import { draft, LOCAL, shortly, startReader } from "../events/support.ts";

it("a subscription that a request opened is read by its id, filtered by plan and type, and ended by its id", async () => {
  const queue = new AcpEventQueue();
  const plan = planAt("execute/queued");
  await queue.commit({ plans: [plan] });
  const opened = await queue.open({ planId: plan.plan_id, types: ["tool.*"] }, LOCAL);
  const reader = startReader(queue, opened.subscription_id);
  const call = { data: { call_id: "c", tool: "bash" } };
  const drafts = [
    draft("tool.invoked", { ...call, plan_id: plan.plan_id }),
    draft("tool.invoked", { ...call, plan_id: "of another plan" }),
    draft("x.other", { plan_id: plan.plan_id }),
    draft("tool.completed", { ...call, plan_id: plan.plan_id }),
  ];
  await queue.commit({ events: { owner: "local", drafts } });
  await vi.waitFor(() => expect(reader.seen).toHaveLength(3));
  expect(shortly(reader.seen)).toBe("snapshot 0, tool.invoked 1, tool.completed 4");
  expect(await queue.release(opened.subscription_id, LOCAL)).toBe(true);
  expect(await reader.ended).toBe("ended");
  expect(reader.seen.at(-1)).toMatchObject({
    event_type: "subscription.closed",
    data: { reason: "released" },
  });
});

it("a type that no event has is refused, so nobody waits in vain", async () => {
  const queue = new AcpEventQueue();
  const opening = queue.open({ types: ["plan.finished"] }, LOCAL);
  await expect(opening).rejects.toMatchObject({ code: "FACADE_VALIDATION_ERROR" });
});
