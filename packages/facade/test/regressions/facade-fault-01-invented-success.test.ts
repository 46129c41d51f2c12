import { expect, it } from "vitest";
import { AcpLocalFacade } from "../../src/dispatch/acp-local-facade.ts";
import { planAt } from "../support/plan-at.ts";

const plan = planAt("execute/complete", { changeset: null });
const unused = (): Promise<never> => Promise.reject(new Error("unused"));

/** What is asked of services that have only what they must have. */
const MISSING = [
  ["plan.list", {}, "plan_lifecycle_service"],
  ["plan.diff", { plan_id: "p" }, "plan_lifecycle_service"],
  ["plan.cancel", { plan_id: "p" }, "plan_lifecycle_service"],
  ["plan.retry", { plan_id: "p" }, "plan_lifecycle_service"],
  ["plan.revert", { plan_id: "p" }, "plan_lifecycle_service"],
  ["approval.list", {}, "plan_lifecycle_service"],
  [
    "approval.respond",
    { plan_id: "p", call_id: "c", decision: "reject_once" },
    "plan_lifecycle_service",
  ],
  ["session.get", { session_id: "s" }, "session_service"],
  ["session.list", {}, "session_service"],
  ["event.list", {}, "event_queue"],
] as const;

it.each(MISSING)("%s without what it needs is no success", async (operation, params, service) => {
  await using facade = new AcpLocalFacade({
    services: {
      session_service: { create: unused, delete: unused },
      plan_lifecycle_service: {
        useAction: unused,
        executePlan: unused,
        getPlan: async () => plan,
        applyPlan: unused,
      },
      event_queue: { subscribeLocal: () => "s" },
    },
  });
  const { status, data, error } = await facade.dispatch({ operation, params });
  expect([status, data]).toEqual(["error", {}]);
  expect(error).toMatchObject({ code: "NOT_AVAILABLE", details: { service } });
});

it("nothing is applied or executed without something that does it", async () => {
  await using facade = new AcpLocalFacade();
  const task = { action_name: "builtin/task", arguments: { prompt: "x" } };
  const made = await facade.dispatch({ operation: "plan.create", params: task });
  expect(made.data).toMatchObject({ state: "queued", waiting_for: "service plan_executor" });
  const params = { plan_id: made.data["plan_id"] ?? "" };
  const executed = await facade.dispatch({ operation: "plan.execute", params });
  expect(executed.error?.code).toBe("NOT_AVAILABLE");
  const applied = await facade.dispatch({ operation: "plan.apply", params });
  expect(applied.error?.code).toBe("INVALID_STATE");
  expect((await facade.dispatch({ operation: "plan.status", params })).data).toMatchObject({
    phase: "strategize",
    state: "queued",
    receipt: null,
  });
});
