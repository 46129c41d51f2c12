import { FakeClock } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import { AcpLocalFacade } from "../../src/dispatch/acp-local-facade.ts";
import { BusinessRuleViolation } from "../../src/errors/domain-error.ts";
import { createLocalServices } from "../../src/dispatch/local-services.ts";
import { PLAN_STATES } from "../../src/plans/plan.ts";
import { isRunning } from "../../src/plans/waiting.ts";
import { type ActivePlan, SessionRegistry } from "../../src/sessions/session-registry.ts";
import { MemoryFacadeStore } from "../../src/store/memory-facade-store.ts";
import { planAt } from "../support/plan-at.ts";
import { callerOf } from "../support/plan-bench.ts";

async function open(plans: readonly ActivePlan[] | (() => readonly ActivePlan[]), fail?: Error) {
  const clock = new FakeClock();
  const store = new MemoryFacadeStore({ clock });
  const cancelled: string[] = [];
  let faults = fail === undefined ? 0 : 1;
  const sessions = new SessionRegistry({
    store,
    commit: (change) => store.commit(change),
    activePlans: async () => (typeof plans === "function" ? plans() : plans),
    cancelPlan: async (id) => {
      if (fail !== undefined && faults-- > 0) throw fail;
      cancelled.push(id);
    },
    checkActor: () => undefined,
    clock,
  });
  const { session_id: id } = await sessions.create({}, callerOf());
  const close = (cancelPlans: boolean) =>
    sessions.delete(id, { keepHistory: true, cancelPlans }, callerOf());
  return { id, sessions, cancelled, close };
}

const RUNNING: ActivePlan = { plan_id: "runs", isRunning: true };
const WAITING: ActivePlan = { plan_id: "waits", isRunning: false };

describe("a session is closed", () => {
  test("not as long as a plan runs, and the answer names it", async () => {
    const { id, sessions, close } = await open([RUNNING, WAITING]);
    await expect(close(false)).rejects.toMatchObject({
      code: "FACADE_INVALID_STATE",
      details: { session_id: id, status: "open", plan_ids: ["runs"] },
    });
    expect(await sessions.get(id, callerOf())).toMatchObject({ status: "open", version: 1 });
  });

  test("while plans wait for a call, which stay as they are", async () => {
    const { cancelled, close } = await open([WAITING]);
    expect(await close(false)).toMatchObject({ session: { status: "closed" }, already: false });
    expect(cancelled).toEqual([]);
  });

  test("with all its plans that have not ended, when they are to be cancelled", async () => {
    const { cancelled, close } = await open([RUNNING, WAITING]);
    expect(await close(true)).toMatchObject({ session: { status: "closed" } });
    expect(cancelled).toEqual(["runs", "waits"]);
    expect(await close(true)).toMatchObject({ already: true });
  });

  test("also when a plan ended before it could be cancelled", async () => {
    let reads = 0;
    const plans = (): readonly ActivePlan[] => (reads++ === 0 ? [RUNNING] : []);
    const { close } = await open(plans, new BusinessRuleViolation("It is applied."));
    expect(await close(true)).toMatchObject({ session: { status: "closed" }, already: false });
  });

  test("not when a plan cannot be cancelled for another reason", async () => {
    const { id, sessions, close } = await open([RUNNING], new Error("disk"));
    await expect(close(true)).rejects.toThrow("disk");
    expect(await sessions.get(id, callerOf())).toMatchObject({ status: "open" });
  });
});

test("a plan runs when it is at work or goes on without a call", () => {
  const cases = PLAN_STATES.flatMap((state) =>
    [null, "plan.execute"].map((waiting_for) => ({ state, waiting_for })),
  );
  const running = cases.filter(isRunning).map(({ state, waiting_for }) => [state, waiting_for]);
  expect(running).toEqual([
    ["queued", null],
    ["processing", null],
    ["processing", "plan.execute"],
    ["complete", null],
  ]);
});

test("every plan of a session is looked at, however many there are", async () => {
  const store = new MemoryFacadeStore();
  const { services } = createLocalServices({ store, projects: ["/"], home: "/nowhere" });
  const sessions = services.session_service;
  const made = await sessions?.create({}, callerOf());
  const session_id = made?.session_id ?? "";
  const waiting = Array.from({ length: 450 }, (_, index) => ({
    ...planAt("strategize/complete"),
    plan_id: `p${index}`,
    version: 1,
    session_id,
    waiting_for: "plan.execute",
  }));
  // The oldest one, which the last page shows.
  const running = { ...planAt("strategize/queued"), plan_id: "runs", session_id, version: 1 };
  await store.commit({ plans: [running, ...waiting] });
  const options = { keepHistory: true, cancelPlans: false };
  await expect(sessions?.delete(session_id, options, callerOf())).rejects.toMatchObject({
    details: { plan_ids: ["runs"] },
  });
});

test("a plan in a closed session is INVALID_STATE with the session's own details", async () => {
  await using facade = new AcpLocalFacade();
  const { data } = await facade.dispatch({ operation: "session.create" });
  const params = { session_id: data["session_id"] ?? "" };
  await facade.dispatch({ operation: "session.close", params });
  const { error } = await facade.dispatch({
    operation: "plan.create",
    params: { ...params, action_name: "builtin/task", arguments: { prompt: "x" } },
  });
  expect(error?.code).toBe("INVALID_STATE");
  expect(error?.details).toEqual({ ...params, status: "closed" });
});
