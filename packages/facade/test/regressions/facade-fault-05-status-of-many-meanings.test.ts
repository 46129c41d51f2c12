import { z } from "zod";
import { expect, it } from "vitest";
import { AcpLocalFacade } from "../../src/dispatch/acp-local-facade.ts";
import type { JsonObject } from "../../src/envelope/json-value.ts";
import { OPERATION_LIST } from "../../src/operations/operation-table.ts";
import { PLAN_PHASES, PLAN_STATES } from "../../src/plans/plan.ts";
import { PlanBench } from "../support/plan-bench.ts";

it("phase and state are apart, in every answer and event", async () => {
  const bench = new PlanBench();
  const answers = [await bench.create()];
  const id = answers[0]?.plan_id ?? "";
  answers.push(await bench.settled(id), await bench.execute(id), await bench.settled(id));
  answers.push(await bench.apply(id), await bench.settled(id));
  const events = (await bench.events(id)).map(({ data }) => data);
  const places = [...answers, ...events.filter((data) => "phase" in data)];
  expect(places.length).toBeGreaterThan(12);
  for (const { phase, state } of places) {
    expect(PLAN_PHASES).toContain(phase);
    expect(PLAN_STATES).toContain(state);
    expect(`${phase as string}/${state as string}`).not.toMatch(/apply\/complete|execute\/applied/);
  }
});

/** Where an answer has its status: itself, or each entry of a list. */
const LISTS: Readonly<Record<string, string>> = {
  "plan.list": "plans",
  "session.list": "sessions",
};

/** Operations whose answers have a status, by their schemas. */
const WITH_STATUS = OPERATION_LIST.filter(({ output }) =>
  JSON.stringify(z.toJSONSchema(output, { io: "input", unrepresentable: "any" })).includes(
    '"status":',
  ),
).map(({ name }) => name);

it("status means one thing for each kind of answer, over dispatch", async () => {
  const bench = new PlanBench();
  const { work } = bench.executor;
  await using facade = new AcpLocalFacade({
    store: bench.store,
    services: { plan_lifecycle_service: bench.plans, event_queue: bench.queue },
  });
  const seen = new Map<string, string[]>();
  const ask = async (operation: string, params: JsonObject = {}): Promise<JsonObject> => {
    const { data, error } = await facade.dispatch({ operation, params });
    expect(error, operation).toBeNull();
    const list = LISTS[operation];
    const heads = list === undefined ? [data] : (data[list] as readonly JsonObject[]);
    for (const { status, state } of heads) {
      if (status === undefined) continue;
      // A plan's is its state, never a phase, an outcome or "ok".
      if (/^(plan|approval)\./.test(operation)) expect(status, operation).toBe(state);
      seen.set(operation, [...(seen.get(operation) ?? []), status as string]);
    }
    return data;
  };
  const settled = async (id: string): Promise<JsonObject> => {
    await bench.settled(id);
    return ask("plan.status", { plan_id: id });
  };
  const task = { action_name: "builtin/task", arguments: { prompt: "x" } };

  const { session_id: session = "" } = await ask("session.create", {});
  await ask("session.get", { session_id: session });
  await ask("session.list");
  await ask("session.close", { session_id: session });
  await ask("session.close", { session_id: session });
  await ask("session.get", { session_id: session });
  await ask("session.list");
  const { subscription_id: subscription = "" } = await ask("event.subscribe", {});
  await ask("event.unsubscribe", { subscription_id: subscription });

  const { plan_id: plan = "" } = await ask("plan.create", task);
  const id = plan as string;
  await settled(id);
  bench.executor.work = () => Promise.reject(new Error("broken"));
  await ask("plan.execute", { plan_id: id });
  await settled(id);
  bench.executor.work = async (run) => {
    const options = ["allow_once", "reject_once"];
    const question = { call_id: "c", tool: "builtin/bash", title: "ls", command: "ls", options };
    await run.approve({ ...question, paths: [], input: "{}", reason: "It asks." });
    await work(run);
  };
  await ask("plan.retry", { plan_id: id });
  await bench.until(id, ({ pending_approvals }) => pending_approvals.length > 0);
  await ask("approval.respond", { plan_id: id, call_id: "c", decision: "allow_once" });
  await settled(id);
  bench.executor.work = work;
  await ask("plan.diff", { plan_id: id });
  await ask("plan.revert", { plan_id: id });
  await settled(id);
  await ask("plan.execute", { plan_id: id, wait: true });
  await ask("plan.execute", { plan_id: id });
  await ask("plan.apply", { plan_id: id, dry_run: true });
  await ask("plan.apply", { plan_id: id });
  await ask("plan.apply", { plan_id: id });
  const { plan_id: other = "" } = await ask("plan.create", task);
  await ask("plan.cancel", { plan_id: other });
  await ask("plan.cancel", { plan_id: other });
  await ask("plan.list");

  expect(Object.fromEntries(seen)).toMatchObject({
    "session.create": ["open"],
    "session.get": ["open", "closed"],
    "session.list": ["open", "closed"],
    "session.close": ["closed", "closed"],
    "event.subscribe": ["active"],
    "event.unsubscribe": ["closed"],
    "plan.create": ["queued", "queued"],
    "plan.execute": ["queued", "complete", "complete"],
    "plan.status": ["complete", "errored", "complete", "complete"],
    "plan.retry": ["queued"],
    "approval.respond": ["processing"],
    "plan.revert": ["queued"],
    "plan.apply": ["complete", "applied", "applied"],
    "plan.cancel": ["cancelled", "cancelled"],
    "plan.list": ["cancelled", "applied"],
  });
  // No operation with a status was forgotten here.
  expect([...seen.keys()].toSorted()).toEqual(WITH_STATUS.toSorted());
  await bench.plans.close();
});
