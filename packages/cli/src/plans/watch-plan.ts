import { setTimeout as sleep } from "node:timers/promises";
import { AcumenError } from "@acumen/core";
import type { AcpEvent, JsonObject } from "@acumen/facade";
import { ask, type PlanClient } from "./plan-client.ts";
import { factsOf, needsYou } from "./plan-facts.ts";

/** So that a plan which ended between two events, or without any, is noticed. */
const LOOK_MS = 2_000;

export interface PlanWatcher {
  /** Something happened. */
  readonly event: (event: AcpEvent) => void;
  /** Events cannot be followed; the plan itself is looked at from now on. Called at most once. */
  readonly blind: (reason: string) => void;
  /** Where the plan is, as long as nothing else tells. */
  readonly state: (plan: JsonObject) => void;
}

/**
 * Follows a plan until it needs somebody, or has ended. Without the right to see events its state is asked for at intervals.
 * @param options.lookMs between two looks at the plan; default 2 s
 * @returns the plan as `plan.status` has it then
 */
export async function watchPlan(
  client: PlanClient,
  planId: string,
  watcher: PlanWatcher,
  { signal, lookMs = LOOK_MS }: { readonly signal: AbortSignal; readonly lookMs?: number },
): Promise<JsonObject> {
  const status = (): Promise<JsonObject> => ask(client, "plan.status", { plan_id: planId });
  const first = await status();
  if (needsYou(factsOf(first))) return first;
  const stop = new AbortController();
  const end = AbortSignal.any([signal, stop.signal]);
  const following = new Following(client, planId, watcher, end);
  let isBlind = false;
  try {
    for (;;) {
      await following.next(lookMs);
      signal.throwIfAborted();
      // Whatever ended the events is a matter of the events alone when this is answered.
      const now = await status();
      const { fault } = following;
      if (fault !== undefined && !isBlind) watcher.blind(fault);
      isBlind = fault !== undefined;
      if (needsYou(factsOf(now))) return now;
      if (isBlind) watcher.state(now);
    }
  } finally {
    stop.abort();
    await following.done;
  }
}

/** Reads events as they come. */
class Following {
  /** Never rejects. */
  readonly done: Promise<void>;
  readonly #end: AbortSignal;
  #fault: string | undefined;
  #isNew = false;
  #wake: () => void = () => undefined;

  constructor(client: PlanClient, planId: string, watcher: PlanWatcher, end: AbortSignal) {
    this.#end = end;
    this.done = this.#read(client, planId, watcher);
  }

  /** Why there are no events any more. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** Resolves when there was an event since the last call, or after some time. */
  async next(ms: number): Promise<void> {
    const round = new AbortController();
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    if (!this.#isNew) await Promise.race([woken, pause(ms, this.#end, round.signal)]);
    this.#isNew = false;
    round.abort();
  }

  async #read(client: PlanClient, planId: string, watcher: PlanWatcher): Promise<void> {
    try {
      for await (const event of client.events(planId, this.#end)) {
        watcher.event(event);
        this.#wakeUp();
      }
    } catch (error) {
      if (this.#end.aborted) return;
      this.#fault = AcumenError.isInstance(error) ? error.message : "The connection broke.";
      this.#wakeUp();
    }
  }

  #wakeUp(): void {
    this.#isNew = true;
    this.#wake();
  }
}

/** Ends early, without a word, when a signal aborts. */
async function pause(ms: number, ...signals: readonly AbortSignal[]): Promise<void> {
  await sleep(ms, undefined, { signal: AbortSignal.any([...signals]) }).catch(() => undefined);
}
