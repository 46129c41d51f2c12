import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { NO_USAGE } from "@acumen/models";
import { tempFolder } from "@acumen/testkit";
import { describe, expect, test, vi } from "vitest";
import { AcpLocalFacade } from "../../src/dispatch/acp-local-facade.ts";
import type { JsonObject } from "../../src/envelope/json-value.ts";
import { ConfigurationError } from "../../src/errors/domain-error.ts";
import { AcpEventQueue } from "../../src/events/acp-event-queue.ts";
import type { PlanExecutor } from "../../src/plans/plan-executor.ts";
import type { ServiceMap } from "../../src/services/service-map.ts";
import { MemoryFacadeStore } from "../../src/store/memory-facade-store.ts";
import { gitProject } from "../support/git-project.ts";

/** Does what the plan's prompt says: writes it into a file. */
const writer: PlanExecutor = {
  strategize: async () => ({ rationale: "Write it.", steps: [], usage: NO_USAGE }),
  execute: async ({ plan, sandbox }) => {
    await writeFile(join(sandbox.path, "NOTE.md"), `${plan.action.prompt}\n`);
    return { summary: "Written.", usage: NO_USAGE };
  },
};

async function open(services: Partial<ServiceMap> = {}) {
  const project = await gitProject();
  const home = await tempFolder("acumen-facade-home");
  const facade = new AcpLocalFacade({ services, projects: [project.path], home: home.path });
  const ask = async (operation: string, params: JsonObject = {}) => {
    const { data, error } = await facade.dispatch({ operation, params });
    return { ...data, error } as Record<string, never> & { error: typeof error };
  };
  return { project, home, facade, ask };
}

describe("a facade without services", () => {
  test("begins a session, as the protocol's first example says", async () => {
    const facade = new AcpLocalFacade();
    const response = await facade.dispatch({ operation: "session.create" });
    expect(response.status).toBe("ok");
  });

  test("makes a plan that waits for an executor, and says ok for no work", async () => {
    const { project, home, ask } = await open();
    await using _project = project;
    await using _home = home;
    const created = await ask("plan.create", {
      action_name: "builtin/task",
      arguments: { prompt: "Hello." },
    });
    expect(created).toMatchObject({ waiting_for: "service plan_executor", state: "queued" });
    const executed = await ask("plan.execute", { plan_id: created["plan_id"] ?? "" });
    expect(executed.error).toMatchObject({
      code: "NOT_AVAILABLE",
      details: { service: "plan_executor" },
    });
  });
});

test("a plan that waited for an executor goes on when one is registered", async () => {
  const { project, home, facade, ask } = await open();
  await using _project = project;
  await using _home = home;
  const { plan_id: id } = await ask("plan.create", {
    action_name: "builtin/task",
    arguments: { prompt: "Hello." },
  });
  facade.registerService("plan_executor", writer);
  await vi.waitFor(
    async () =>
      expect(await ask("plan.status", { plan_id: id ?? "" })).toMatchObject({
        phase: "strategize",
        state: "complete",
      }),
    20_000,
  );
});

test("a plan goes from its action to the user's repository", async () => {
  const { project, home, ask } = await open({ plan_executor: writer });
  await using _project = project;
  await using _home = home;
  const session = await ask("session.create", { title: "Notes" });
  const { plan_id: id } = await ask("plan.create", {
    action_name: "builtin/task",
    arguments: { prompt: "Hello {{prompt}}." },
    session_id: session["session_id"] ?? "",
  });
  const planId = id ?? "";
  expect(await ask("plan.execute", { plan_id: planId, wait: true })).toMatchObject({
    error: null,
    phase: "execute",
    state: "complete",
  });
  const diff = await ask("plan.diff", { plan_id: planId });
  expect(diff).toMatchObject({
    changes: [{ path: "NOTE.md", op: "add" }],
    validations: "none",
    mergeable: { clean: true },
  });
  const wrong = await ask("plan.apply", { plan_id: planId, expected_digest: "0".repeat(64) });
  expect(wrong.error).toMatchObject({ code: "CONFLICT" });
  const applied = await ask("plan.apply", {
    plan_id: planId,
    expected_digest: diff["changeset_digest"] ?? "",
  });
  expect(applied).toMatchObject({ error: null, phase: "apply", state: "applied" });
  expect(await readFile(join(project.path, "NOTE.md"), "utf8")).toBe("Hello {{prompt}}.\n");
  expect(project.git("status", "--porcelain")).toBe("");
  const again = await ask("plan.apply", { plan_id: planId });
  expect(again).toMatchObject({ already: true, receipt: applied["receipt"] });
  const { events } = (await ask("event.list", { plan_id: planId, limit: 1_000 })) as unknown as {
    events: readonly { readonly event_type: string }[];
  };
  expect(events.map(({ event_type }) => event_type)).toEqual(
    expect.arrayContaining([
      "plan.created",
      "plan.phase_changed",
      "sandbox.created",
      "plan.applied",
    ]),
  );
});

test("a session with plans that have not ended is closed with them or not at all", async () => {
  const { project, home, ask } = await open({ plan_executor: writer });
  await using _project = project;
  await using _home = home;
  const session = await ask("session.create");
  const sessionId = session["session_id"] ?? "";
  const plan = await ask("plan.create", {
    action_name: "builtin/task",
    arguments: { prompt: "x" },
    session_id: sessionId,
  });
  const refused = await ask("session.close", { session_id: sessionId });
  expect(refused.error).toMatchObject({
    code: "INVALID_STATE",
    details: { plan_ids: [plan["plan_id"]] },
  });
  expect(await ask("session.close", { session_id: sessionId, cancel_plans: true })).toMatchObject({
    status: "closed",
    already: false,
  });
  expect(await ask("session.close", { session_id: sessionId })).toMatchObject({ already: true });
  expect(await ask("plan.status", { plan_id: plan["plan_id"] ?? "" })).toMatchObject({
    state: "cancelled",
    terminal: true,
  });
  expect(await ask("session.get", { session_id: sessionId })).toMatchObject({ status: "closed" });
});

describe("services that do not fit together are refused at once", () => {
  const own = { subscribeLocal: () => "s1" };
  test.each<[string, object, RegExp]>([
    ["an unknown key", { services: { session_servce: {} } }, /use session_service/],
    ["one without its methods", { services: { session_service: { create() {} } } }, /lacks delete/],
    ["nothing as a service", { services: { tool_registry: null } }, /lacks listTools/],
    ["a queue that takes no events", { services: { event_queue: own } }, /session_service/],
    [
      "two stores",
      { store: new MemoryFacadeStore(), services: { event_queue: new AcpEventQueue() } },
      /different stores/,
    ],
    [
      "an executor that nobody asks",
      {
        services: {
          plan_executor: writer,
          plan_lifecycle_service: {
            useAction() {},
            executePlan() {},
            getPlan() {},
            applyPlan() {},
          },
        },
      },
      /never ask it/,
    ],
  ])("%s", (_case, options, message) => {
    const make = (): unknown => new AcpLocalFacade(options);
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(message);
  });

  test("also when they are registered afterwards", () => {
    const facade = new AcpLocalFacade();
    expect(() => facade.registerService("tool_registry", {} as never)).toThrow(ConfigurationError);
  });
});

describe("a user's own service in the place of a default one", () => {
  test("is the one that the other defaults ask", async () => {
    const { project, home, facade, ask } = await open();
    await using _project = project;
    await using _home = home;
    const mine = { session_id: "MINE", owner: "local", status: "open", profile: "manual" };
    facade.registerService("session_service", {
      create: async () => mine,
      get: async () => mine,
      delete: async () => ({ session: mine, already: false }),
    } as never);
    const params = { action_name: "builtin/task", arguments: { prompt: "x" }, session_id: "MINE" };
    expect(await ask("plan.create", params)).toMatchObject({ error: null, session_id: "MINE" });
  });

  test("is no event queue that would hear nothing", () => {
    const facade = new AcpLocalFacade();
    const register = (): void => facade.registerService("event_queue", new AcpEventQueue());
    expect(register).toThrow(ConfigurationError);
  });
});

test("a subscription that was opened by dispatch is read in process", async () => {
  const { project, home, facade, ask } = await open();
  await using _project = project;
  await using _home = home;
  const { subscription_id: id } = await ask("event.subscribe", { types: ["session.*"] });
  const stop = new AbortController();
  const seen: string[] = [];
  const reading = (async () => {
    for await (const event of facade.events(id ?? "", { signal: stop.signal })) {
      seen.push(event.event_type);
    }
  })();
  await ask("session.create");
  await vi.waitFor(() => expect(seen).toEqual(["snapshot", "session.created"]), 10_000);
  stop.abort();
  await reading;
});

describe("a keyed request", () => {
  test("that made a plan and was cut off makes no second one", async () => {
    const store = new MemoryFacadeStore();
    await using project = await gitProject();
    await using home = await tempFolder("acumen-facade-home");
    const options = { store, projects: [project.path], home: home.path };
    const request = {
      operation: "plan.create",
      idempotency_key: "k",
      params: { action_name: "builtin/task", arguments: { prompt: "x" } },
    };
    // The process dies after the plan was stored and before its answer is.
    const cut = vi.spyOn(store, "finishKeyed").mockRejectedValueOnce(new Error("gone"));
    vi.spyOn(store, "dropKeyed").mockResolvedValueOnce(undefined);
    await new AcpLocalFacade(options).dispatch(request);
    expect(cut).toHaveBeenCalledOnce();
    const again = await new AcpLocalFacade(options).dispatch(request);
    expect(again.status).toBe("ok");
    const { items } = await store.plans({ owner: "local", limit: 10 });
    expect(items.map(({ plan_id }) => plan_id)).toEqual([again.data["plan_id"]]);
  });

  test("whose work was done and failed is answered again, and not done again", async () => {
    let runs = 0;
    const failing: PlanExecutor = {
      ...writer,
      execute: () => {
        runs += 1;
        return Promise.reject(new Error("no"));
      },
    };
    const { project, home, facade, ask } = await open({ plan_executor: failing });
    await using _project = project;
    await using _home = home;
    const { plan_id: id } = await ask("plan.create", {
      action_name: "builtin/task",
      arguments: { prompt: "x" },
    });
    const request = {
      operation: "plan.execute",
      idempotency_key: "k",
      params: { plan_id: id ?? "", wait: true, retry: true },
    };
    const first = await facade.dispatch(request);
    expect(first.error?.code).toBe("PLAN_ERROR");
    const second = await facade.dispatch(request);
    const { request_id: own, timing_ms: timing } = second;
    expect(second).toEqual({ ...first, request_id: own, timing_ms: timing });
    expect(runs).toBe(1);
  });
});

test("a user's objects with just the methods of the reference serve all their operations", async () => {
  const calls: string[] = [];
  const plan = { plan_id: "01J", phase: "strategize", state: "queued" };
  const noted =
    <T>(name: string, value: T) =>
    async (): Promise<T> => {
      calls.push(name);
      return value;
    };
  const facade = new AcpLocalFacade({
    services: {
      session_service: {
        create: noted("create", { session_id: "s" }),
        delete: noted("delete", { session: { session_id: "s" }, already: false }),
      },
      plan_lifecycle_service: {
        useAction: noted("useAction", plan),
        executePlan: noted("executePlan", { plan }),
        getPlan: noted("getPlan", plan),
        applyPlan: noted("applyPlan", { plan }),
      },
      tool_registry: { listTools: noted("listTools", { items: [], next_cursor: null }) },
      resource_registry_service: {
        listResources: noted("listResources", { items: [], next_cursor: null }),
      },
      event_queue: { subscribeLocal: () => "s1" },
      context_service: { getContext: () => Promise.reject(new Error("unused")) },
    } as never,
  });
  const results = await Promise.all(
    [
      ["session.create", {}],
      ["session.close", { session_id: "s" }],
      ["plan.create", { action_name: "a/b" }],
      ["plan.execute", { plan_id: "01J" }],
      ["plan.status", { plan_id: "01J" }],
      ["plan.apply", { plan_id: "01J" }],
      ["registry.list_tools", {}],
      ["registry.list_resources", {}],
    ].map(([operation, params]) => facade.dispatch({ operation, params } as never)),
  );
  expect(results.map(({ status, error }) => error ?? status)).toEqual(results.map(() => "ok"));
  expect(calls).toHaveLength(8);
});
