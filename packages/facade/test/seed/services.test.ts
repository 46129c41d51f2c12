import { writeFile } from "node:fs/promises";
import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { LOCAL_PRINCIPAL } from "../../src/access/principal.ts";
import { AcpLocalFacade } from "../../src/dispatch/acp-local-facade.ts";
import type { JsonObject } from "../../src/envelope/json-value.ts";
import type { Change } from "../../src/sandbox/change.ts";
import { CHANGESET, planAt } from "../support/plan-at.ts";

const plan = planAt("execute/complete");
const ID: JsonObject = { plan_id: plan.plan_id };

const CHANGE = {
  path: "a.ts",
  old_path: null,
  op: "modify",
  insertions: 1,
  deletions: 0,
  binary: false,
  old_mode: "100644",
  new_mode: "100644",
  note: null,
} satisfies Change;
const WRITERS = ["session_service", "plan_lifecycle_service"] as const;

interface Row {
  readonly key: string;
  readonly operation: string;
  readonly method: string;
  readonly params: JsonObject;
  /** Arguments of the method, before the caller. */
  readonly args: readonly unknown[];
  /** What a user's own service answers. */
  readonly answer: unknown;
  /** What comes of it. */
  readonly data: JsonObject;
}

const CALLER = expect.objectContaining({ principal: LOCAL_PRINCIPAL });

/** Service keys, their operations and methods, row by row as the protocol's reference has them, in camel case. */
const ROWS: readonly Row[] = [
  {
    key: "session_service",
    operation: "session.create",
    method: "create",
    params: { actor_name: "builtin/agent" },
    args: [{ actor_name: "builtin/agent" }, CALLER],
    answer: { session_id: "S1" },
    data: { session_id: "S1", status: "open" },
  },
  {
    key: "session_service",
    operation: "session.close",
    method: "delete",
    params: { session_id: "S1" },
    // Nothing is deleted, which the name alone would mean.
    args: ["S1", { keepHistory: true, cancelPlans: false }, CALLER],
    answer: undefined,
    data: { session_id: "S1", status: "closed" },
  },
  {
    key: "plan_lifecycle_service",
    operation: "plan.create",
    method: "useAction",
    params: { action_name: "builtin/task" },
    args: [{ action_name: "builtin/task" }, CALLER],
    answer: plan,
    data: { ...ID, status: "complete" },
  },
  {
    key: "plan_lifecycle_service",
    operation: "plan.execute",
    method: "executePlan",
    params: ID,
    args: [plan.plan_id, { retry: false, waitMs: 0 }, CALLER],
    answer: { plan },
    data: { ...ID, status: "complete" },
  },
  {
    key: "plan_lifecycle_service",
    operation: "plan.status",
    method: "getPlan",
    params: ID,
    args: [plan.plan_id, CALLER],
    answer: plan,
    data: { ...ID, phase: "execute", state: "complete" },
  },
  {
    key: "plan_lifecycle_service",
    operation: "plan.diff",
    method: "getPlan",
    params: ID,
    args: [plan.plan_id, CALLER],
    answer: { ...plan, changeset: { ...CHANGESET, changes: [CHANGE] } },
    data: {
      ...ID,
      changes: [CHANGE],
      phase: "execute",
      changeset_digest: CHANGESET.digest,
      mergeable: null,
      next_cursor: null,
    },
  },
  {
    key: "plan_lifecycle_service",
    operation: "plan.apply",
    method: "applyPlan",
    params: ID,
    args: [
      plan.plan_id,
      {
        expected_digest: null,
        expected_target_head: null,
        message: null,
        dryRun: false,
        waitMs: 30_000,
      },
      CALLER,
    ],
    answer: { plan },
    data: { ...ID, status: "complete" },
  },
  {
    key: "tool_registry",
    operation: "registry.list_tools",
    method: "listTools",
    params: { namespace: "builtin" },
    args: [{ namespace: "builtin", limit: 50 }, CALLER],
    answer: { items: [{ name: "builtin/x", description: "x" }] },
    data: { tools: [{ name: "builtin/x", description: "x" }] },
  },
  {
    key: "resource_registry_service",
    operation: "registry.list_resources",
    method: "listResources",
    params: { type_name: "skillbook" },
    args: [{ type_name: "skillbook", limit: 50 }, CALLER],
    answer: { items: [{ resource_id: "r", name: "n", type_name: "skillbook" }] },
    data: { resources: [{ resource_id: "r", name: "n", type_name: "skillbook" }] },
  },
  {
    key: "event_queue",
    operation: "event.subscribe",
    method: "subscribeLocal",
    params: {},
    args: [expect.any(Function), {}],
    answer: "sub-1",
    data: { subscription_id: "sub-1", status: "active", stream_url: null },
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

/** Its methods, and no others; they note what they are asked. */
function serviceOf(key: string, calls: unknown[][], answer: unknown): never {
  const methods = (METHODS[key] ?? []).map((name) => [
    name,
    (...args: unknown[]) => {
      calls.push([name, ...args]);
      return key === "event_queue" ? answer : Promise.resolve(answer);
    },
  ]);
  return Object.fromEntries(methods) as never;
}

test.each(ROWS)("$operation asks $key.$method", async (row) => {
  const { key, operation, method, params, args, answer, data } = row;
  const calls: unknown[][] = [];
  await using facade = new AcpLocalFacade();
  // A queue of a user's own is taken where nobody else needs ours.
  for (const writer of key === "event_queue" ? WRITERS : []) {
    facade.registerService(writer, serviceOf(writer, [], undefined));
  }
  facade.registerService(key as "session_service", serviceOf(key, calls, answer));
  const response = await facade.dispatch({ operation, params });
  expect(response.status, JSON.stringify(response.error)).toBe("ok");
  expect(response.data).toMatchObject(data);
  expect(calls).toEqual([[method, ...args]]);
});

test("context.get, which the reference has as a stub without a service, is a real context", async () => {
  await using folder = await tempFolder();
  await writeFile(folder.join("README.md"), "# Shop\n");
  await using facade = new AcpLocalFacade({ projects: [folder.path] });
  const { data, error } = await facade.dispatch({ operation: "context.get" });
  expect(error).toBeNull();
  expect(data).toMatchObject({
    context: {
      fragments: expect.arrayContaining([expect.objectContaining({ uri: "file:README.md" })]),
    },
    message: expect.stringContaining("fragment"),
  });
  expect(data).not.toHaveProperty("stub");
});

test("all eleven operations of the reference have their row", () => {
  expect(new Set([...ROWS.map(({ operation }) => operation), "context.get"]).size).toBe(11);
});

test("a plan whose record says nothing of a change has no diff, and none is played", async () => {
  await using facade = new AcpLocalFacade();
  const answer = { plan_id: plan.plan_id, phase: "execute", state: "queued" };
  facade.registerService("plan_lifecycle_service", serviceOf("plan_lifecycle_service", [], answer));
  const { error } = await facade.dispatch({ operation: "plan.diff", params: ID });
  expect(error).toMatchObject({
    code: "NOT_AVAILABLE",
    details: { service: "plan_lifecycle_service", method: "diffPlan" },
  });
});

test("a diff of a record is filtered and paged", async () => {
  await using facade = new AcpLocalFacade();
  const changes = ["src/a.ts", "src/b.ts", "srcx.ts"].map((path) => ({ ...CHANGE, path }));
  const answer = {
    plan_id: plan.plan_id,
    phase: "execute",
    state: "processing",
    changeset: { ...CHANGESET, changes },
  };
  facade.registerService("plan_lifecycle_service", serviceOf("plan_lifecycle_service", [], answer));
  const ask = async (params: JsonObject) =>
    (await facade.dispatch({ operation: "plan.diff", params: { ...ID, ...params } })).data;
  const first = await ask({ paths: ["src"], limit: 1 });
  expect(first).toMatchObject({ changes: [{ path: "src/a.ts" }], truncated: true, partial: true });
  const second = await ask({ paths: ["src"], limit: 1, cursor: first["next_cursor"] ?? "" });
  expect(second).toMatchObject({ changes: [{ path: "src/b.ts" }], next_cursor: null });
});

test.each(Object.keys(METHODS))("the key %s is checked when it is given", (key) => {
  const given = { [key]: {} } as never;
  expect(() => new AcpLocalFacade({ services: given })).toThrow(
    expect.objectContaining({ code: "FACADE_CONFIGURATION_ERROR" }),
  );
});
