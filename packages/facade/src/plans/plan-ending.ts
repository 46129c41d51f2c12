import type { PlanAnswer } from "../services/plan-lifecycle-service.ts";
import { archivedPatch } from "./archived-patch.ts";
import { findingsOf } from "./findings.ts";
import { checkAllowed } from "./legal-calls.ts";
import type { PlanEngine } from "./plan-engine.ts";
import { changed, moved, placeOf, planEvent } from "./plan-move.ts";
import type { PlanParts } from "./plan-parts.ts";
import { type PlanKey, keyOf } from "./plan-records.ts";
import type { Plan } from "./plan.ts";
import { PROFILES } from "./profile.ts";
import { WAITING } from "./waiting.ts";

/** Cancelling answers by then, also when something does not stop; it is cleaned up when it does. */
const STOP_MS = 800;
const ARCHIVE_MS = 5000;

/** What `plan.cancel` and `plan.revert` do to a plan. */
export class PlanEnding {
  readonly #parts: PlanParts;
  readonly #engine: PlanEngine;

  constructor(parts: PlanParts, engine: PlanEngine) {
    this.#parts = parts;
    this.#engine = engine;
  }

  /** From the stored record on nothing of the plan happens any more. @throws BusinessRuleViolation */
  async cancel(key: PlanKey): Promise<PlanAnswer> {
    let before: Plan | undefined;
    const plan = await this.#parts.records.update(key, (now) => {
      checkAllowed(now, "plan.cancel");
      before = now;
      if (now.state === "cancelled") return undefined;
      const next = moved(
        now,
        "cancel",
        { worker: null, pending_approvals: [], waiting_for: null },
        this.#parts.clock.now(),
      );
      return { plan: next, drafts: [planEvent(now, "plan.cancelled", placeOf(next))] };
    });
    if (before?.state === "cancelled") return { plan, already: true };
    await this.#withdraw(plan);
    return { plan: await this.#parts.records.get(key) };
  }

  async #withdraw(plan: Plan): Promise<void> {
    const { after } = this.#parts;
    const stopped = this.#engine.stop(plan).then(() => this.#cleaned(plan));
    this.#engine.inBackground(() => stopped);
    let cancelTimer = (): void => undefined;
    const late = new Promise<void>((resolve) => {
      cancelTimer = after(STOP_MS, resolve);
    });
    await Promise.race([stopped, late]).finally(() => cancelTimer());
  }

  async #cleaned(plan: Plan): Promise<void> {
    const { records } = this.#parts;
    const { sandbox, changeset, project } = plan;
    if (sandbox !== null && changeset !== null) {
      const signal = AbortSignal.any([AbortSignal.timeout(ARCHIVE_MS), this.#engine.closing]);
      const archive = await archivedPatch(this.#parts, { ...plan, project, sandbox }, signal);
      if (archive !== null) {
        await records.update(keyOf(plan), (now) => ({
          plan: changed(now, { archive }, this.#parts.clock.now()),
          drafts: [],
        }));
      }
    }
    // The process ends: the next start removes what is left.
    if (this.#engine.closing.aborted) return;
    const isRemoved = await this.#engine.cleanUp(plan);
    if (isRemoved && sandbox !== null && !this.#engine.closing.aborted) {
      const data = { attempt: sandbox.attempt, branch: sandbox.branch };
      await records.tell(plan, [planEvent(plan, "sandbox.rolled_back", data)]);
    }
  }

  /**
   * Back to the strategy, at the target as it is now, with what is known of the attempt.
   * @throws BusinessRuleViolation also after the third time
   */
  async revert(key: PlanKey, reason: string | undefined): Promise<PlanAnswer> {
    const { records, projects, sandboxes, clock } = this.#parts;
    const seen = await records.get(key);
    checkAllowed(seen, "plan.revert");
    const project = await projects.find(seen.project.path);
    const base = await sandboxes.base(project, key.planId);
    const plan = await records.update(key, (now) => {
      checkAllowed(now, "plan.revert");
      const next = moved(
        now,
        "revert",
        {
          attempt: now.attempt + 1,
          reversion_count: now.reversion_count + 1,
          runs: 0,
          worker: null,
          base,
          findings: findingsOf(now, reason),
          strategy: null,
          execute_requested: false,
          apply_request: null,
          waiting_for: this.#firstWait(now),
          sandbox: null,
          changeset: null,
          validations: null,
          conflicts: null,
          error: null,
          allowed_calls: [],
        },
        clock.now(),
      );
      const data = {
        ...placeOf(next),
        reversion_count: next.reversion_count,
        reason: reason ?? null,
      };
      return { plan: next, drafts: [planEvent(now, "plan.reverted", data)] };
    });
    this.#engine.wake(plan);
    return { plan };
  }

  #firstWait({ profile }: Plan): string | null {
    if (this.#parts.executor() === undefined) return WAITING.executor;
    return PROFILES[profile.name].strategizes ? null : WAITING.execute;
  }
}
