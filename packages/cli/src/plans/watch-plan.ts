import { setTimeout as sleep } from "node:timers/promises";
import type { AcpEvent, JsonObject } from "@acumen/facade";
import { ask, type PlanClient } from "./plan-client.ts";
import { factsOf, needsYou } from "./plan-facts.ts";

/** So that a plan which ended between two events is noticed. */
const LOOK_MS = 2_000;

/**
 * Follows a plan until it needs somebody, or has ended.
 * @param shown is called with each event
 * @returns the plan as `plan.status` has it then
 */
export async function watchPlan(
  client: PlanClient,
  planId: string,
  signal: AbortSignal,
  shown: (event: AcpEvent) => void,
): Promise<JsonObject> {
  const status = (): Promise<JsonObject> => ask(client, "plan.status", { plan_id: planId });
  const first = await status();
  if (needsYou(factsOf(first))) return first;
  const stop = new AbortController();
  const end = AbortSignal.any([signal, stop.signal]);
  const following = follow(client, planId, end, shown);
  try {
    for (;;) {
      const round = new AbortController();
      await Promise.race([following.next(), pause(LOOK_MS, AbortSignal.any([end, round.signal]))]);
      round.abort();
      signal.throwIfAborted();
      const now = await status();
      if (!needsYou(factsOf(now))) continue;
      return now;
    }
  } finally {
    stop.abort();
    await following.done;
  }
}

/** Reads events as they come; `next` resolves with the next one that was shown. */
function follow(
  client: PlanClient,
  planId: string,
  signal: AbortSignal,
  shown: (event: AcpEvent) => void,
): { readonly next: () => Promise<void>; readonly done: Promise<void> } {
  let wake: () => void = () => undefined;
  let waiting = new Promise<void>((resolve) => (wake = resolve));
  const read = async (): Promise<void> => {
    for await (const event of client.events(planId, signal)) {
      shown(event);
      wake();
      waiting = new Promise<void>((resolve) => (wake = resolve));
    }
  };
  // What ends the stream early is seen by asking for the state, which says why.
  const done = read().catch(() => undefined);
  return { next: () => waiting, done };
}

/** Ends early, without a word, when the signal aborts. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
