import { FakeClock } from "@acumen/testkit";
import { describe, expect, test, vi } from "vitest";
import { AcpLocalFacade } from "../../src/dispatch/acp-local-facade.ts";
import type { JsonObject } from "../../src/envelope/json-value.ts";
import { MemoryFacadeStore } from "../../src/store/memory-facade-store.ts";
import { planAt } from "../support/plan-at.ts";

const CREATE = { operation: "session.create", idempotency_key: "k" };
const unused = (): Promise<never> => Promise.reject(new Error("unused"));

/** A facade whose services are a user's own, with what each method gives. */
function facadeOf(methods: Readonly<Record<string, () => unknown>>, store?: MemoryFacadeStore) {
  const clock = new FakeClock();
  const service = new Proxy({} as Record<string, unknown>, {
    get: (_target, name) => methods[String(name)] ?? unused,
    has: () => true,
  });
  return {
    clock,
    facade: new AcpLocalFacade({
      clock,
      ...(store !== undefined && { store }),
      services: { session_service: service as never, plan_lifecycle_service: service as never },
    }),
  };
}

/** A promise and what fulfils it. */
function gate() {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { open, passed };
}

describe("the answer to a repeated request", () => {
  test("says how long it took itself", async () => {
    const begun = gate();
    const { facade, clock } = facadeOf({
      create: async () => {
        await begun.passed;
        return { session_id: "s" };
      },
    });
    const first = facade.dispatch(CREATE);
    clock.advance(700);
    begun.open();
    expect((await first).timing_ms).toBe(700);
    const again = await facade.dispatch({ ...CREATE, request_id: "r2" });
    expect(again).toMatchObject({ request_id: "r2", timing_ms: 0, data: { session_id: "s" } });
  });
});

describe("a deadline covers", () => {
  test("the wait for the key, and nothing begins afterwards", async () => {
    const store = new MemoryFacadeStore();
    const begin = gate();
    const inner = store.beginKeyed.bind(store);
    vi.spyOn(store, "beginKeyed").mockImplementation(async (record) => {
      await begin.passed;
      return inner(record);
    });
    const create = vi.fn<() => Promise<object>>(async () => ({ session_id: "s" }));
    const { facade } = facadeOf({ create }, store);
    const { error } = await facade.dispatch({ ...CREATE, deadline_ms: 5 });
    expect(error).toMatchObject({ code: "TIMEOUT", retryable: true });
    begin.open();
    await facade.close();
    expect(create).not.toHaveBeenCalled();
  });

  test("the wait for the answer to be kept, which is kept all the same", async () => {
    const store = new MemoryFacadeStore();
    const finish = gate();
    const inner = store.finishKeyed.bind(store);
    vi.spyOn(store, "finishKeyed").mockImplementation(async (...answer) => {
      await finish.passed;
      return inner(...answer);
    });
    const create = vi.fn<() => Promise<object>>(async () => ({ session_id: "s" }));
    const { facade } = facadeOf({ create }, store);
    const { error } = await facade.dispatch({ ...CREATE, deadline_ms: 5 });
    expect(error?.code).toBe("TIMEOUT");
    finish.open();
    await vi.waitFor(async () => {
      expect((await facade.dispatch(CREATE)).data).toMatchObject({ session_id: "s" });
    });
    expect(create).toHaveBeenCalledOnce();
  });
});

const PLAN = planAt("execute/complete");
const ID: JsonObject = { plan_id: PLAN.plan_id };
const TASK: JsonObject = { action_name: "builtin/task" };
const REPLY: JsonObject = { ...ID, call_id: "c", decision: "allow_once" };

/** What a user's own service answers after a change, and nobody can show. */
const UNSHOWN: readonly (readonly [string, string, JsonObject, unknown])[] = [
  ["session.create", "create", {}, { session_id: 7 }],
  ["session.create", "create", {}, undefined],
  ["session.create", "create", {}, { session_id: "s", more: 1n }],
  ["session.close", "delete", { session_id: "s" }, { session: null }],
  ["plan.create", "useAction", TASK, undefined],
  ["plan.create", "useAction", TASK, { ...PLAN, phase: "elsewhere" }],
  ["plan.execute", "executePlan", ID, undefined],
  ["plan.execute", "executePlan", ID, PLAN],
  ["plan.apply", "applyPlan", ID, {}],
  ["plan.cancel", "cancelPlan", ID, { plan: null }],
  ["plan.retry", "retryPlan", ID, { plan: { ...PLAN, attempt: "one" } }],
  ["plan.revert", "revertPlan", ID, undefined],
  ["approval.respond", "respondApproval", REPLY, undefined],
];

describe("a change that was made and cannot be shown is not made again under its key", () => {
  test.each(UNSHOWN)("%s: %s", async (operation, method, params, answer) => {
    const change = vi.fn<() => Promise<unknown>>(async () => answer);
    const { facade } = facadeOf({ [method]: change });
    const request = { operation, params, idempotency_key: "k" };
    const first = await facade.dispatch(request);
    expect(first.error?.code).toBe("INTERNAL_ERROR");
    const onReplayed = vi.fn<() => void>();
    const again = await facade.dispatch(request, { onReplayed });
    expect(again.error).toEqual(first.error);
    expect(onReplayed).toHaveBeenCalledOnce();
    expect(change).toHaveBeenCalledOnce();
  });
});
