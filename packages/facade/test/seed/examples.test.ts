import { expect, test } from "vitest";
import {
  AcpEventQueue,
  AcpLocalFacade,
  AcpVersionMismatchError,
  AcpVersionNegotiator,
} from "../../src/index.ts";
import { planAt } from "../support/plan-at.ts";

const plan = planAt("execute/complete");
const unused = (): Promise<never> => Promise.reject(new Error("unused"));

/** Each code sample of the protocol's reference, through the package's public entry. */
test("local facade", async () => {
  await using facade = new AcpLocalFacade();
  const response = await facade.dispatch({ operation: "session.create" });
  expect(response.status).toBe("ok");
});

test("wired facade", async () => {
  const queue = new AcpEventQueue();
  await using facade = new AcpLocalFacade({
    services: {
      session_service: { create: unused, delete: unused },
      plan_lifecycle_service: {
        useAction: unused,
        executePlan: unused,
        getPlan: async () => plan,
        applyPlan: unused,
      },
      tool_registry: { listTools: unused },
      resource_registry_service: { listResources: unused },
      event_queue: queue,
    },
  });
  const response = await facade.dispatch({
    operation: "plan.status",
    params: { plan_id: plan.plan_id },
  });
  expect(response.status).toBe("ok");
  expect("phase" in response.data).toBe(true);
  await queue.close();
});

test("version negotiation", () => {
  const negotiator = new AcpVersionNegotiator();
  expect(negotiator.negotiate("1.0")).toBe("1.0");
  expect(() => negotiator.negotiate("2.0")).toThrow(AcpVersionMismatchError);
});
