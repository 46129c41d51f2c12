import { PlanError } from "../errors/domain-error.ts";
import { repairedPlan } from "./apply-work.ts";
import type { PlanEngine } from "./plan-engine.ts";
import { changed, type PlanChange, stateChanged } from "./plan-move.ts";
import type { PlanParts } from "./plan-parts.ts";
import { keyOf } from "./plan-records.ts";
import type { Plan } from "./plan.ts";
import { PROFILES } from "./profile.ts";
import { UNFINISHED_STATES } from "./transitions.ts";
import { WAITING } from "./waiting.ts";

/** How often a phase may be taken up again after its process ended. */
const MAX_RUNS = 3;

/** Takes up what an earlier process left. */
export class PlanRecovery {
  readonly #parts: PlanParts;
  readonly #engine: PlanEngine;

  constructor(parts: PlanParts, engine: PlanEngine) {
    this.#parts = parts;
    this.#engine = engine;
  }

  /** Before anything new begins: nobody else works at these plans. A plan that cannot be repaired holds up no other. */
  async recover(): Promise<void> {
    const { store, sandboxes, logger } = this.#parts;
    const plans = await store.unfinishedPlans(UNFINISHED_STATES);
    for (const plan of plans) {
      try {
        await this.#takeUp(plan);
      } catch (error) {
        logger.error("a plan of an earlier process could not be taken up", {
          plan_id: plan.plan_id,
          reason: error instanceof Error ? error.message : String(error),
        });
      }
    }
    const left = await store.unfinishedPlans(UNFINISHED_STATES);
    await sandboxes.sweep(new Set(left.map(({ plan_id }) => plan_id)));
  }

  /** An executor has come, or gone. */
  async reconsider(): Promise<void> {
    const plans = await this.#parts.store.unfinishedPlans(["queued"]);
    for (const plan of plans) {
      this.#engine.wake(await this.#parts.records.update(keyOf(plan), (now) => this.#awaited(now)));
    }
  }

  async #takeUp(plan: Plan): Promise<void> {
    const isApplied = plan.state === "processing" && (await this.#wasApplied(plan));
    const taken = await this.#parts.records.update(keyOf(plan), (now) => {
      if (now.state === "processing") return this.#interrupted(now, isApplied);
      return this.#awaited(now);
    });
    this.#engine.wake(taken);
  }

  async #wasApplied({ plan_id: planId, project, base, merge }: Plan): Promise<boolean> {
    if (merge === null) return false;
    return this.#parts.sandboxes.wasApplied({ planId, project, base }, merge);
  }

  #interrupted(plan: Plan, isApplied: boolean): PlanChange {
    if (isApplied) return repairedPlan(plan, this.#parts.clock.now());
    if (plan.runs < MAX_RUNS) return this.#engine.requeued(plan, plan.runs);
    // The target was looked at, and has not moved.
    const settled = { ...plan, merge: null };
    return this.#engine.failed(
      settled,
      new PlanError(
        `The ${plan.phase} phase of plan ${plan.plan_id} was interrupted ${plan.runs} times, because its process ended. If the work itself ends the process, change the plan; else retry it.`,
        { retryable: true, details: { runs: plan.runs } },
      ),
    );
  }

  /** What a queued plan waits for, now that an executor is there or not. */
  #awaited(plan: Plan): PlanChange | undefined {
    const { state, phase, waiting_for } = plan;
    if (state !== "queued" || phase === "apply") return undefined;
    const isThere = this.#parts.executor() !== undefined;
    if (isThere !== (waiting_for === WAITING.executor)) return undefined;
    if (!isThere && waiting_for !== null) return undefined;
    const next = changed(
      plan,
      { waiting_for: isThere ? firstWait(plan) : WAITING.executor },
      this.#parts.clock.now(),
    );
    return { plan: next, drafts: [stateChanged(next, plan)] };
  }
}

function firstWait({ phase, profile, runs }: Plan): string | null {
  const wasBegun = phase === "execute" || runs > 0;
  return wasBegun || PROFILES[profile.name].strategizes ? null : WAITING.execute;
}
