import { tempFolder } from "@acumen/testkit";
import { NO_USAGE } from "@acumen/models";
import { mkdir, writeFile } from "node:fs/promises";
import { expect, test, vi } from "vitest";
import { AcpLocalFacade } from "../../src/dispatch/acp-local-facade.ts";
import { createLocalServices } from "../../src/dispatch/local-services.ts";
import type { JsonObject } from "../../src/envelope/json-value.ts";
import type { PlanExecutor } from "../../src/plans/plan-executor.ts";

/** Operation and the keys of its answer, row by row as the protocol's reference has them. */
const RESPONSE_KEYS: readonly (readonly [string, readonly string[]])[] = [
  ["session.create", ["session_id", "status"]],
  ["plan.create", ["plan_id", "status"]],
  ["plan.execute", ["plan_id", "status"]],
  ["plan.status", ["plan_id", "phase", "state"]],
  ["plan.diff", ["plan_id", "changes", "phase"]],
  ["plan.apply", ["plan_id", "status"]],
  ["registry.list_tools", ["tools"]],
  ["registry.list_resources", ["resources"]],
  ["context.get", ["context", "message"]],
  ["event.subscribe", ["subscription_id", "status"]],
  ["session.close", ["status"]],
];

/** Keys of each entry of a list. */
const ENTRY_KEYS: readonly (readonly [string, string, readonly string[]])[] = [
  ["registry.list_tools", "tools", ["name", "description"]],
  ["registry.list_resources", "resources", ["resource_id", "name", "type_name"]],
];

const writer: PlanExecutor = {
  strategize: () => Promise.resolve({ rationale: "A note.", steps: [], usage: NO_USAGE }),
  execute: async ({ sandbox }) => {
    await writeFile(`${sandbox.path}/NOTE.md`, "hello\n");
    return { summary: "Written.", usage: NO_USAGE };
  },
};

test("every operation of the reference is there", () => {
  const names = new AcpLocalFacade().listOperations();
  expect(RESPONSE_KEYS.map(([name]) => name).filter((name) => !names.includes(name))).toEqual([]);
  expect(RESPONSE_KEYS).toHaveLength(11);
});

test("every answer has the keys of the routing table, over one story from a session to its end", async () => {
  await using folder = await tempFolder();
  const project = folder.join("shop");
  await mkdir(project);
  await writeFile(`${project}/README.md`, "# Shop\n");
  const local = createLocalServices({
    projects: [project],
    home: folder.join("home"),
    environment: { PATH: process.env["PATH"] },
    isolation: "none",
    executor: writer,
    isTrusted: () => Promise.resolve(true),
  });
  await local.plans.start();
  const facade = new AcpLocalFacade({ services: local.services, store: local.store });
  let session: JsonObject = {};
  let plan: JsonObject = {};
  const paramsOf: Readonly<Record<string, () => JsonObject>> = {
    "plan.create": () => ({ action_name: "builtin/task", arguments: { prompt: "Write a note." } }),
    "plan.execute": () => ({ ...idOf(plan), wait: true }),
    "plan.status": () => idOf(plan),
    "plan.diff": () => idOf(plan),
    "plan.apply": () => idOf(plan),
    "session.close": () => ({ session_id: session["session_id"] ?? null }),
  };
  try {
    for (const [operation, keys] of RESPONSE_KEYS) {
      const params = paramsOf[operation]?.() ?? {};
      const { status, data, error } = await facade.dispatch({ operation, params });
      expect(status, `${operation}: ${error?.message}`).toBe("ok");
      expect(Object.keys(data), operation).toEqual(expect.arrayContaining([...keys]));
      if (operation === "session.create") session = data;
      if (operation === "plan.create") plan = data;
      for (const [, list, entryKeys] of ENTRY_KEYS.filter(([name]) => name === operation)) {
        const entries = data[list] as readonly JsonObject[];
        expect(entries.length, operation).toBeGreaterThan(0);
        for (const entry of entries) {
          expect(Object.keys(entry)).toEqual(expect.arrayContaining([...entryKeys]));
        }
      }
      // What was promised as a stub is real.
      expect(data).not.toHaveProperty("stub");
    }
  } finally {
    await local.plans.close();
    await local.close();
    await local.queue.close();
  }
});

function idOf({ plan_id: id = null }: JsonObject): JsonObject {
  return { plan_id: id };
}

test("the first example of the reference is true", async () => {
  const response = await new AcpLocalFacade().dispatch({ operation: "session.create" });
  expect(response.status).toBe("ok");
});

/** Methods of the facade, and what they give. */
test.each([
  ["dispatch", "object"],
  ["registerService", "undefined"],
  ["listOperations", "object"],
] as const)("AcpLocalFacade.%s gives %s", async (method, kind) => {
  const facade = new AcpLocalFacade();
  const results: Readonly<Record<typeof method, () => unknown>> = {
    dispatch: () => facade.dispatch({ operation: "session.create" }),
    registerService: () =>
      facade.registerService("tool_registry", { listTools: vi.fn<() => never>() }),
    listOperations: () => facade.listOperations(),
  };
  expect(typeof (await results[method]())).toBe(kind);
});
