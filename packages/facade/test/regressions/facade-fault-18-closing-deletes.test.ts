import { expect, it, vi } from "vitest";
import { NO_USAGE } from "@acumen/models";
import { AcpLocalFacade } from "../../src/dispatch/acp-local-facade.ts";
import type { JsonObject } from "../../src/envelope/json-value.ts";
import { tempFolder } from "@acumen/testkit";
import { STORES } from "../support/facade-stores.ts";
import { gitProject } from "../support/git-project.ts";

it("a closed session keeps its history, and its plans are neither lost nor cancelled without a word", async () => {
  await using project = await gitProject();
  await using home = await tempFolder("acumen-facade-home");
  await using facade = new AcpLocalFacade({
    projects: [project.path],
    home: home.path,
    services: {
      plan_executor: {
        strategize: async () => ({ rationale: "x", steps: [], usage: NO_USAGE }),
        execute: async () => ({ summary: "x", usage: NO_USAGE }),
      },
    },
  });
  const ask = async (operation: string, params: JsonObject): Promise<JsonObject> => {
    const { data, error } = await facade.dispatch({ operation, params });
    expect(error, operation).toBeNull();
    return data;
  };
  const { session_id: session = "" } = await ask("session.create", { title: "Kept" });
  const task = { action_name: "builtin/task", arguments: { prompt: "x" }, session_id: session };
  const { plan_id: plan = "" } = await ask("plan.create", task);
  await vi.waitFor(
    async () =>
      expect(await ask("plan.status", { plan_id: plan })).toMatchObject({ state: "complete" }),
    10_000,
  );
  expect(await ask("session.close", { session_id: session })).toMatchObject({
    status: "closed",
    already: false,
  });
  expect(await ask("session.close", { session_id: session })).toMatchObject({ already: true });
  expect(await ask("session.get", { session_id: session })).toMatchObject({ title: "Kept" });
  const { plans } = await ask("plan.list", { session_id: session });
  expect(plans).toMatchObject([{ plan_id: plan, state: "complete", session_id: session }]);
  const { events } = await ask("event.list", { session_id: session });
  const types = (events as unknown as readonly { event_type: string }[]).map(
    ({ event_type: type }) => type,
  );
  expect(types).toEqual([
    "session.created",
    "plan.created",
    "plan.state_changed",
    "plan.state_changed",
    "session.closed",
  ]);
  // It goes on when it is called.
  expect(await ask("plan.execute", { plan_id: plan, wait: true })).toMatchObject({
    phase: "execute",
    state: "complete",
  });
  const late = await facade.dispatch({ operation: "plan.create", params: task });
  expect(late.error?.code).toBe("INVALID_STATE");
});

it.each(STORES)(
  "a plan that is made while its session is closed is cancelled or refused on the store $name, and goes on in neither case",
  async ({ open }) => {
    await using project = await gitProject();
    await using home = await tempFolder("acumen-facade-home");
    await using opened = await open();
    await using facade = new AcpLocalFacade({
      projects: [project.path],
      home: home.path,
      store: opened.store,
    });
    const task = { action_name: "builtin/task", arguments: { prompt: "x" } };
    const dispatch = (operation: string, params: JsonObject) =>
      facade.dispatch({ operation, params });
    for (const ms of [0, 3, 30, 100]) {
      const { data } = await dispatch("session.create", {});
      const { session_id: session = "" } = data;
      const creation = dispatch("plan.create", { ...task, session_id: session });
      await new Promise((resolve) => setTimeout(resolve, ms));
      const closing = dispatch("session.close", { session_id: session, cancel_plans: true });
      const [created, closed] = await Promise.all([creation, closing]);
      expect(closed).toMatchObject({ error: null, data: { status: "closed" } });
      const { plans } = (await dispatch("plan.list", { session_id: session })).data;
      if (created.error === null) {
        expect(plans).toMatchObject([{ plan_id: created.data["plan_id"], state: "cancelled" }]);
      } else {
        expect(created.error.code).toBe("INVALID_STATE");
        expect(plans).toEqual([]);
      }
    }
    expect(project.git("for-each-ref", "refs/acumen")).toBe("");
  },
);
