import { AuthorizationError, ConflictError } from "../errors/domain-error.ts";
import type { Caller } from "../access/caller.ts";
import type { PlanAnswer } from "../services/plan-lifecycle-service.ts";
import { checkAllowed, verdictOf } from "./legal-calls.ts";
import type { PlanEngine } from "./plan-engine.ts";
import { changed, moved, phaseChanged, type PlanChange, stateChanged } from "./plan-move.ts";
import type { PlanParts } from "./plan-parts.ts";
import type { PlanKey } from "./plan-records.ts";
import type { ApplyRequest, Plan } from "./plan.ts";
import { pointOf } from "./transitions.ts";

/** What `plan.apply` begins. */
export class PlanApplication {
  readonly #parts: PlanParts;
  readonly #engine: PlanEngine;

  constructor(parts: PlanParts, engine: PlanEngine) {
    this.#parts = parts;
    this.#engine = engine;
  }

  /**
   * A plan that is applied answers with its receipt, one that is being applied goes on.
   * @throws BusinessRuleViolation, ConflictError for another digest or head than was expected
   */
  async apply(
    key: PlanKey,
    request: ApplyRequest,
    dryRun: boolean,
    caller: Caller,
  ): Promise<PlanAnswer> {
    checkMayApply(caller);
    const { records } = this.#parts;
    const seen = await records.get(key);
    checkAllowed(seen, "plan.apply");
    checkExpected(seen, request);
    const begins = verdictOf(pointOf(seen), "plan.apply") === "accept";
    const isOpen = request.expected_target_head !== null && targetHeadOf(seen) === undefined;
    const looks = isOpen || (begins && dryRun);
    const mergeable = looks ? await this.#mergeability(seen, request, caller) : undefined;
    if (dryRun) return { plan: seen, ...(mergeable !== undefined && { mergeable }) };
    let already = false as boolean;
    const plan = await records.update(key, (now) => {
      const change = this.#requested(now, request);
      already = change === undefined;
      return change;
    });
    this.#engine.wake(plan);
    return { plan, ...(already && { already }) };
  }

  async #mergeability(plan: Plan, request: ApplyRequest, { signal }: Caller) {
    const { plan_id: planId, project, base, sandbox } = plan;
    if (sandbox === null) return undefined;
    const place = { planId, project, base, sandbox };
    const found = await this.#parts.sandboxes
      .mergeability(place, signal)
      .catch(async (error: unknown) => {
        // It may have been applied and cleaned up just now: then its record says more.
        const now = await this.#parts.records.get({ owner: plan.owner, planId });
        if (pointOf(now) === pointOf(plan)) throw error;
        return undefined;
      });
    if (found === undefined) return undefined;
    checkHead(planId, request, found.target_head);
    return found;
  }

  #requested(plan: Plan, request: ApplyRequest): PlanChange | undefined {
    checkAllowed(plan, "plan.apply");
    checkExpected(plan, request);
    const now = this.#parts.clock.now();
    const isReleased = plan.state === "queued" && plan.waiting_for !== null;
    if (isReleased) {
      const next = changed(plan, { apply_request: request, waiting_for: null }, now);
      return { plan: next, drafts: [stateChanged(next, plan)] };
    }
    if (verdictOf(pointOf(plan), "plan.apply") !== "accept") return undefined;
    const next = moved(
      plan,
      "apply",
      {
        apply_request: request,
        runs: 0,
        error: null,
        conflicts: null,
        validations: null,
        waiting_for: null,
      },
      now,
    );
    const draft = plan.phase === "apply" ? stateChanged(next, plan) : phaseChanged(next, plan);
    return { plan: next, drafts: [draft] };
  }
}

/** Applying is a right of its own, whatever a call is named. @throws AuthorizationError */
export function checkMayApply({ principal }: Caller): void {
  if (principal.scopes.includes("plan:apply")) return;
  throw new AuthorizationError(
    "Applying a plan needs the scope plan:apply, which the token does not have.",
    { details: { scope: "plan:apply" } },
  );
}

/**
 * What is expected must be what is, was or is being applied, also when nothing new begins: else whoever asks would take the receipt of
 * another change for that of the one that was looked at. @throws ConflictError
 */
function checkExpected(plan: Plan, request: ApplyRequest): void {
  const { plan_id: planId, changeset, receipt } = plan;
  const { expected_digest: expected } = request;
  const digest = receipt?.changeset_digest ?? changeset?.digest;
  if (expected !== null && digest !== undefined && expected !== digest) {
    throw new ConflictError(
      `The change of plan ${planId} has the digest ${digest}, not ${expected}: it is not what was looked at. Look at the diff again.`,
      { details: { plan_id: planId, changeset_digest: digest } },
    );
  }
  const head = targetHeadOf(plan);
  if (head !== undefined) checkHead(planId, request, head);
}

/** Where the target was or must be when the change goes in; undefined: wherever it is then. */
function targetHeadOf(plan: Plan): string | null | undefined {
  const { receipt, merge, apply_request: request } = plan;
  if (receipt !== null) return receipt.target_head;
  if (verdictOf(pointOf(plan), "plan.apply") === "accept") return undefined;
  return merge === null ? (request?.expected_target_head ?? undefined) : merge.target_head;
}

function checkHead(
  planId: string,
  { expected_target_head: expected }: ApplyRequest,
  head: string | null,
): void {
  if (expected === null || expected === head) return;
  throw new ConflictError(
    `The target of plan ${planId} is at ${head ?? "no commit"}, not at ${expected}; look at the diff again.`,
    { details: { plan_id: planId, target_head: head } },
  );
}
