import { AcumenError, throwIfAborted, untilAborted } from "@acumen/core";
import type { AcpEventDraft } from "../envelope/acp-event.ts";
import { PlanError } from "../errors/domain-error.ts";
import type { ApplyResult, Project, SandboxRef } from "../sandbox/sandboxes.ts";
import type { ValidationResult } from "../sandbox/validation.ts";
import type { ActiveRun } from "./active-runs.ts";
import { archivedPatch } from "./archived-patch.ts";
import { hasReversions } from "./legal-calls.ts";
import type { PlanClaim } from "./plan-claim.ts";
import { planFailure } from "./plan-failure.ts";
import { changed, moved, type PlanChange, placeOf, planEvent } from "./plan-move.ts";
import type { PlanParts } from "./plan-parts.ts";
import type { ArchivedPatch, Changeset, MergeInProgress, Plan, Receipt } from "./plan.ts";
import { WAITING } from "./waiting.ts";

type Applied = Pick<Receipt, "commit" | "target_ref" | "target_head" | "stats" | "validations">;
type Constrained = Omit<Extract<ApplyResult, { readonly outcome: "constrained" }>, "outcome"> & {
  readonly error?: Plan["error"];
};

/** What a worker does to merge a plan's change. The one path to the target, with every check on it. */
export class ApplyWork {
  readonly #parts: PlanParts;
  readonly #claim: PlanClaim;

  constructor(parts: PlanParts, claim: PlanClaim) {
    this.#parts = parts;
    this.#claim = claim;
  }

  /** @throws what went wrong before the target moved, RunLost when the plan was cancelled */
  async run(plan: Plan, run: ActiveRun): Promise<void> {
    const { sandbox, changeset } = plan;
    if (sandbox === null || changeset === null) {
      throw new PlanError(
        `Plan ${plan.plan_id} has no change that could be applied. Revert it, and execute it again.`,
      );
    }
    const project = await untilAborted(this.#claim.project(plan), run.signal);
    if (plan.merge !== null) {
      const place = { planId: plan.plan_id, project, base: plan.base };
      const isApplied = await this.#parts.sandboxes.wasApplied(place, plan.merge);
      await run.update((now) =>
        isApplied ? repairedPlan(now, this.#now()) : notMoved(now, this.#now()),
      );
      if (isApplied) return;
    }
    const archive = await archivedPatch(this.#parts, { ...plan, project, sandbox }, run.signal);
    throwIfAborted(run.signal);
    await this.#apply(plan, { project, sandbox, changeset, archive }, run);
  }

  async #apply(
    plan: Plan,
    work: {
      readonly project: Project;
      readonly sandbox: SandboxRef;
      readonly changeset: Changeset;
      readonly archive: ArchivedPatch | null;
    },
    run: ActiveRun,
  ): Promise<void> {
    const { project, sandbox, changeset, archive } = work;
    const { plan_id: planId, base, action, apply_request: request } = plan;
    const results: ValidationResult[] = [];
    let merge: MergeInProgress | undefined;
    try {
      const result = await this.#parts.sandboxes.apply({
        planId,
        project,
        base,
        sandbox,
        digest: changeset.digest,
        expectedTargetHead: request?.expected_target_head ?? null,
        message: request?.message ?? defaultMessage(plan),
        validations: action.validations,
        allowUnisolated: this.#parts.settings.allowUnisolated,
        signal: run.signal,
        moving: async (next) => {
          throwIfAborted(run.signal);
          await run.update((now) => moving(now, { merge: next, archive, results }, this.#now()));
          merge = next;
        },
        validated: async ({ name, result: outcome }) => {
          throwIfAborted(run.signal);
          if (outcome !== undefined) results.push(outcome);
          const event = validationEvent(plan, name, outcome);
          await run.patiently(() => this.#parts.records.tell(plan, [event]));
        },
      });
      if (result.outcome === "applied") {
        const { target_ref, target_head } = merge ?? { ...base, target_head: null };
        await this.#applied(run, { ...result, target_ref, target_head }, archive);
      } else await run.update((now) => this.#constrained(now, result));
    } catch (error) {
      await this.#failed(error, { plan: { ...plan, project }, merge, archive, results }, run);
    }
  }

  /** After an error the target alone says whether it was moved. */
  async #failed(
    error: unknown,
    work: {
      readonly plan: Plan;
      readonly merge: MergeInProgress | undefined;
      readonly archive: ArchivedPatch | null;
      readonly results: readonly ValidationResult[];
    },
    run: ActiveRun,
  ): Promise<void> {
    const { plan, merge, archive, results } = work;
    const { changeset } = plan;
    if (merge !== undefined && changeset !== null) {
      const place = { planId: plan.plan_id, project: plan.project, base: plan.base };
      if (await this.#parts.sandboxes.wasApplied(place, merge)) {
        const validations = results.length === 0 ? "none" : results;
        await this.#applied(run, { ...merge, stats: changeset.stats, validations }, archive);
        return;
      }
      await run.update((now) => notMoved(now, this.#now()));
    }
    if (!AcumenError.isInstance(error) || error.code !== "FACADE_CONFLICT") throw error;
    const failure = planFailure(error, plan, this.#parts);
    await run.update((now) =>
      this.#constrained(now, {
        conflicts: [],
        validations: results,
        reason: failure.message,
        error: failure,
      }),
    );
  }

  async #applied(run: ActiveRun, applied: Applied, archive: ArchivedPatch | null): Promise<void> {
    await run.update((now) => appliedPlan(now, { applied, archive }, this.#now()));
  }

  #constrained(
    now: Plan,
    { conflicts, validations, reason, error = null }: Constrained,
  ): PlanChange {
    const next = moved(
      now,
      "constrain",
      {
        worker: null,
        merge: null,
        conflicts,
        validations,
        error: error ?? constraint(now, reason),
        waiting_for: hasReversions(now) ? WAITING.applyAgain : WAITING.applyOrCancel,
      },
      this.#now(),
    );
    const told = validations.map(withoutOutput);
    const data = { ...placeOf(next), reason, conflicts, validations: told };
    return { plan: next, drafts: [planEvent(now, "plan.constrained", data)] };
  }

  #now(): Date {
    return this.#parts.clock.now();
  }
}

/** The last moment at which a cancel counts: who cancelled before has changed the record, and this write fails. */
function moving(
  plan: Plan,
  about: {
    readonly merge: MergeInProgress;
    readonly archive: ArchivedPatch | null;
    readonly results: readonly ValidationResult[];
  },
  now: Date,
): PlanChange {
  const { merge, archive, results } = about;
  const next = changed(plan, { merge, archive, validations: [...results] }, now);
  return { plan: next, drafts: [] };
}

/** The receipt, stored before anything is cleaned up. */
function appliedPlan(
  plan: Plan,
  about: { readonly applied: Applied; readonly archive: ArchivedPatch | null },
  now: Date,
): PlanChange {
  const { applied, archive } = about;
  const { commit, target_ref, target_head = null, stats, validations } = applied;
  const receipt: Receipt = {
    commit,
    target_ref,
    target_head,
    changeset_digest: plan.changeset?.digest ?? "",
    stats,
    applied_at: now.toISOString(),
    validations,
  };
  const next = moved(
    plan,
    "merge",
    {
      worker: null,
      merge: null,
      receipt,
      archive,
      validations: validations === "none" ? [] : validations,
      conflicts: null,
      error: null,
      waiting_for: null,
    },
    now,
  );
  const committed = { commit, target_ref, attempt: plan.attempt };
  const told = validations === "none" ? validations : validations.map(withoutOutput);
  const data = { ...placeOf(next), receipt: { ...receipt, validations: told } };
  return {
    plan: next,
    drafts: [
      planEvent(plan, "sandbox.committed", committed),
      planEvent(plan, "plan.applied", data),
    ],
  };
}

/** Of a plan whose process ended between the move of the target and the receipt. */
export function repairedPlan(plan: Plan, now: Date): PlanChange {
  const { merge, changeset, validations, archive } = plan;
  const applied: Applied = {
    commit: merge?.commit ?? null,
    target_ref: merge?.target_ref ?? null,
    target_head: merge?.target_head ?? null,
    stats: changeset?.stats ?? { files: 0, insertions: 0, deletions: 0 },
    validations: validations === null || validations.length === 0 ? "none" : validations,
  };
  return appliedPlan(plan, { applied, archive }, now);
}

function notMoved(plan: Plan, now: Date): PlanChange {
  return { plan: changed(plan, { merge: null }, now), drafts: [] };
}

function constraint({ phase, attempt }: Plan, reason: string): Plan["error"] {
  return {
    code: "FACADE_PLAN_ERROR",
    message: reason,
    details: {},
    phase,
    attempt,
    retryable: false,
  };
}

function defaultMessage({ action, plan_id: planId }: Plan): string {
  return `Apply ${action.name}\n\nPlan: ${planId}`;
}

function validationEvent(
  plan: Plan,
  name: string,
  result: ValidationResult | undefined,
): AcpEventDraft {
  if (result === undefined) return planEvent(plan, "validation.started", { name });
  const type = result.status === "passed" ? "validation.passed" : "validation.failed";
  return planEvent(plan, type, { ...withoutOutput(result), name });
}

/** Events tell sizes; the text stands in the plan. */
function withoutOutput({ output, ...rest }: ValidationResult) {
  return { ...rest, output_chars: output.length };
}
