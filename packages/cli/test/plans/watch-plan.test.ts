import { AcumenError } from "@acumen/core";
import { AuthorizationError, type JsonObject } from "@acumen/facade";
import { expect, test } from "vitest";
import type { PlanClient } from "../../src/plans/plan-client.ts";
import { watchPlan } from "../../src/plans/watch-plan.ts";

const EVENT = {
  event_id: "e",
  event_type: "plan.state_changed",
  plan_id: "P",
  session_id: null,
  data: {},
  timestamp: "2026-12-01T00:00:00.000Z",
  seq: 1,
} as const;

/** Answers with one state after the other; the last one stays. */
function clientOf(states: readonly string[], events: PlanClient["events"]): PlanClient {
  const rest = [...states];
  return {
    dispatch: async () => {
      const state = rest.length > 1 ? rest.shift() : rest[0];
      const data: JsonObject = { plan_id: "P", phase: "execute", state: state ?? "" };
      const waits = state === "complete" ? "plan.apply" : null;
      return {
        acp_version: "1.0",
        request_id: "r",
        status: "ok",
        data: { ...data, waiting_for: waits },
        error: null,
        timing_ms: 0,
      };
    },
    events,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

function recorder() {
  const seen: string[] = [];
  return {
    seen,
    watcher: {
      event: ({ event_type: type }: { readonly event_type: string }) => void seen.push(type),
      blind: (reason: string) => void seen.push(`blind ${reason}`),
      state: (plan: JsonObject) => void seen.push(`state ${JSON.stringify(plan["state"])}`),
    },
  };
}

/** Events that end with an error before the first one. */
function refused(error: Error): PlanClient["events"] {
  const next = (): Promise<never> => Promise.reject(error);
  return () => ({ [Symbol.asyncIterator]: () => ({ next }) });
}

const NEVER = new AbortController().signal;

test("an event leads to a look, long before the next one is due", async () => {
  const { seen, watcher } = recorder();
  const client = clientOf(["processing", "processing", "complete"], async function* () {
    yield EVENT;
    yield EVENT;
  });
  const last = await watchPlan(client, "P", watcher, { signal: NEVER, lookMs: 600_000 }).catch(
    (error: unknown) => error,
  );
  expect(last).toMatchObject({ state: "complete" });
  expect(seen).toEqual([EVENT.event_type, EVENT.event_type]);
});

test("without the right to see events it says so once, and shows the states", async () => {
  const { seen, watcher } = recorder();
  const client = clientOf(
    ["queued", "queued", "processing", "complete"],
    refused(new AuthorizationError("events:read is missing.")),
  );
  const last = await watchPlan(client, "P", watcher, { signal: NEVER, lookMs: 1 });
  expect(last).toMatchObject({ state: "complete" });
  expect(seen).toEqual(["blind events:read is missing.", 'state "queued"', 'state "processing"']);
});

test("what ends everything is thrown by the look, without a word on events", async () => {
  const { seen, watcher } = recorder();
  const gone = new AcumenError({ code: "FACADE_NOT_AVAILABLE", message: "No server." });
  const client = clientOf(["queued"], refused(gone));
  const { dispatch } = client;
  let asked = 0;
  client.dispatch = (request) => ((asked += 1) > 1 ? Promise.reject(gone) : dispatch(request));
  await expect(watchPlan(client, "P", watcher, { signal: NEVER, lookMs: 1 })).rejects.toBe(gone);
  expect(seen).toEqual([]);
});

test("a signal ends it", async () => {
  const stop = new AbortController();
  const { watcher } = recorder();
  const client = clientOf(["processing"], async function* () {
    yield EVENT;
    stop.abort(new Error("enough"));
  });
  const watching = watchPlan(client, "P", watcher, { signal: stop.signal, lookMs: 600_000 });
  await expect(watching).rejects.toThrow("enough");
});
