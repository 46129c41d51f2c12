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
    const begins = verdictOf(pointOf(seen), "plan.apply") === "accept";
    if (begins) checkDigest(seen, request);
    const looks = begins && (dryRun || request.expected_target_head !== null);
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
    const found = await this.#parts.sandboxes.mergeability(
      { planId, project, base, sandbox },
      signal,
    );
    const { expected_target_head: expected } = request;
    if (expected !== null && expected !== found.target_head) {
      throw new ConflictError(
        `The target of plan ${planId} is at ${found.target_head ?? "no commit"}, not at ${expected}; look at the diff again.`,
        { details: { plan_id: planId, target_head: found.target_head } },
      );
    }
    return found;
  }

  #requested(plan: Plan, request: ApplyRequest): PlanChange | undefined {
    checkAllowed(plan, "plan.apply");
    const now = this.#parts.clock.now();
    const isReleased = plan.state === "queued" && plan.waiting_for !== null;
    if (isReleased) {
      checkDigest(plan, request);
      const next = changed(plan, { apply_request: request, waiting_for: null }, now);
      return { plan: next, drafts: [stateChanged(next, plan)] };
    }
    if (verdictOf(pointOf(plan), "plan.apply") !== "accept") return undefined;
    checkDigest(plan, request);
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

function checkDigest(
  { plan_id: planId, changeset }: Plan,
  { expected_digest: expected }: ApplyRequest,
): void {
  if (expected === null || changeset === null || expected === changeset.digest) return;
  throw new ConflictError(
    `The change of plan ${planId} has the digest ${changeset.digest}, not ${expected}: it is not what was looked at. Look at the diff again.`,
    { details: { plan_id: planId, changeset_digest: changeset.digest } },
  );
}
