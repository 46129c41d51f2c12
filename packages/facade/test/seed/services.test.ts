import { expect, test } from "vitest";
import { AcpLocalFacade } from "../../src/dispatch/acp-local-facade.ts";
import type { JsonObject } from "../../src/envelope/json-value.ts";
import { planAt } from "../support/plan-at.ts";

const plan = planAt("execute/complete");
const ID: JsonObject = { plan_id: plan.plan_id };

interface Row {
  readonly key: string;
  readonly operation: string;
  readonly method: string;
  readonly params: JsonObject;
  /** First argument of the method. */
  readonly first: unknown;
  /** What a user's own service answers. */
  readonly answer: unknown;
}

/** Service keys, their operations and methods, row by row as the protocol's reference has them, in camel case. */
const ROWS: readonly Row[] = [
  {
    key: "session_service",
    operation: "session.create",
    method: "create",
    params: { actor_name: "builtin/agent" },
    first: { actor_name: "builtin/agent" },
    answer: { session_id: "S1" },
  },
  {
    key: "session_service",
    operation: "session.close",
    method: "delete",
    params: { session_id: "S1" },
    first: "S1",
    answer: undefined,
  },
  {
    key: "plan_lifecycle_service",
    operation: "plan.create",
    method: "useAction",
    params: { action_name: "builtin/task" },
    first: { action_name: "builtin/task" },
    answer: plan,
  },
  {
    key: "plan_lifecycle_service",
    operation: "plan.execute",
    method: "executePlan",
    params: ID,
    first: plan.plan_id,
    answer: { plan },
  },
  {
    key: "plan_lifecycle_service",
    operation: "plan.status",
    method: "getPlan",
    params: ID,
    first: plan.plan_id,
    answer: plan,
  },
  {
    key: "plan_lifecycle_service",
    operation: "plan.apply",
    method: "applyPlan",
    params: ID,
    first: plan.plan_id,
    answer: { plan },
  },
  {
    key: "tool_registry",
    operation: "registry.list_tools",
    method: "listTools",
    params: { namespace: "builtin" },
    first: expect.objectContaining({ namespace: "builtin" }),
    answer: { items: [{ name: "builtin/x", description: "x" }] },
  },
  {
    key: "resource_registry_service",
    operation: "registry.list_resources",
    method: "listResources",
    params: { type_name: "skillbook" },
    first: expect.objectContaining({ type_name: "skillbook" }),
    answer: { items: [{ resource_id: "r", name: "n", type_name: "skillbook" }] },
  },
];

/** The least that each service needs; a user's own object with just these methods works. */
const METHODS: Readonly<Record<string, readonly string[]>> = {
  session_service: ["create", "delete"],
  plan_lifecycle_service: ["useAction", "executePlan", "getPlan", "applyPlan"],
  tool_registry: ["listTools"],
  resource_registry_service: ["listResources"],
  event_queue: ["subscribeLocal"],
};

test.each(ROWS)("$operation asks $key.$method", async (row) => {
  const { key, operation, method, params, first, answer } = row;
  const calls: unknown[][] = [];
  const service = Object.fromEntries(
    (METHODS[key] ?? []).map((name) => [
      name,
      (...args: unknown[]) => {
        calls.push([name, args[0]]);
        return Promise.resolve(answer);
      },
    ]),
  );
  const facade = new AcpLocalFacade();
  facade.registerService(key as "session_service", service as never);
  const response = await facade.dispatch({ operation, params });
  expect(response.status, JSON.stringify(response.error)).toBe("ok");
  expect(calls).toEqual([[method, first]]);
});

test.each(Object.keys(METHODS))("the key %s is checked when it is given", (key) => {
  const given = { [key]: {} } as never;
  expect(() => new AcpLocalFacade({ services: given })).toThrow(
    expect.objectContaining({ code: "FACADE_CONFIGURATION_ERROR" }),
  );
});

test("event.subscribe without the method says which one it needs, and plays nothing", async () => {
  const facade = new AcpLocalFacade();
  for (const key of ["session_service", "plan_lifecycle_service"] as const) {
    const methods = (METHODS[key] ?? []).map((name) => [name, () => Promise.resolve({})]);
    facade.registerService(key, Object.fromEntries(methods) as never);
  }
  facade.registerService("event_queue", { subscribeLocal: () => "s" });
  const { error } = await facade.dispatch({ operation: "event.subscribe" });
  expect(error).toMatchObject({ code: "NOT_AVAILABLE", details: { service: "event_queue" } });
});
