import { BusinessRuleViolation } from "../errors/domain-error.ts";
import type { Plan } from "./plan.ts";
import { type PlanPoint, pointOf } from "./transitions.ts";

export const PLAN_OPERATIONS = [
  "plan.execute",
  "plan.diff",
  "plan.apply",
  "plan.cancel",
  "plan.retry",
  "plan.revert",
] as const;
export type PlanOperation = (typeof PLAN_OPERATIONS)[number];

/**
 * `accept`: it does something. `already`: acknowledged, nothing new begins. `partial`: the attempt as far as it got. `archived`: the
 * change as it was, if it was kept. `retry`: only with `retry: true`. `unmoved`: only as long as the target has not been touched.
 */
export type CallVerdict =
  | "accept"
  | "already"
  | "partial"
  | "archived"
  | "retry"
  | "unmoved"
  | "refuse";

/** In the order of PLAN_OPERATIONS: execute, diff, apply, cancel, retry, revert. */
const VERDICTS: Readonly<Record<PlanPoint, readonly CallVerdict[]>> = {
  "strategize/queued": ["accept", "refuse", "refuse", "accept", "refuse", "refuse"],
  "strategize/processing": ["accept", "refuse", "refuse", "accept", "refuse", "refuse"],
  "strategize/complete": ["accept", "refuse", "refuse", "accept", "refuse", "refuse"],
  "strategize/errored": ["retry", "partial", "refuse", "accept", "accept", "refuse"],
  "strategize/cancelled": ["refuse", "archived", "refuse", "already", "refuse", "refuse"],
  "execute/queued": ["already", "partial", "refuse", "accept", "refuse", "refuse"],
  "execute/processing": ["already", "partial", "refuse", "accept", "refuse", "refuse"],
  "execute/complete": ["already", "accept", "accept", "accept", "refuse", "accept"],
  "execute/errored": ["retry", "partial", "refuse", "accept", "accept", "accept"],
  "execute/cancelled": ["refuse", "archived", "refuse", "already", "refuse", "refuse"],
  "apply/queued": ["already", "accept", "already", "accept", "refuse", "refuse"],
  "apply/processing": ["already", "accept", "already", "unmoved", "refuse", "refuse"],
  "apply/applied": ["refuse", "archived", "already", "refuse", "refuse", "refuse"],
  "apply/constrained": ["refuse", "accept", "accept", "accept", "refuse", "accept"],
  "apply/errored": ["refuse", "accept", "accept", "accept", "accept", "accept"],
  "apply/cancelled": ["refuse", "archived", "refuse", "already", "refuse", "refuse"],
};

export function verdictOf(point: PlanPoint, operation: PlanOperation): CallVerdict {
  return VERDICTS[point][PLAN_OPERATIONS.indexOf(operation)] ?? "refuse";
}

type LegalPlan = Pick<
  Plan,
  "plan_id" | "phase" | "state" | "version" | "merge" | "sandbox" | "changeset" | "reversion_count"
>;

const MAX_REVERSIONS = 3;

/** Whether a plan has not been reverted as often as one can be. */
export function hasReversions({ reversion_count: count }: Pick<Plan, "reversion_count">): boolean {
  return count < MAX_REVERSIONS;
}

/** What the plan makes of a verdict that depends on more than its point: a call without further parameters. */
function isAllowed(plan: LegalPlan, operation: PlanOperation): boolean {
  const point = pointOf(plan);
  // After a fault in the middle nobody knows whether the target moved: the next plan.apply finds out.
  const isUnclear =
    plan.merge !== null && (operation === "plan.cancel" || operation === "plan.revert");
  if (isUnclear || (operation === "plan.revert" && !hasReversions(plan))) return false;
  switch (verdictOf(point, operation)) {
    case "accept":
    case "already":
    case "unmoved":
      return true;
    case "archived":
      return plan.changeset !== null;
    case "partial":
      // A queued attempt shows what it has changed so far: nothing.
      return plan.sandbox !== null || point === "execute/queued";
    case "retry":
    case "refuse":
      return false;
  }
}

/** Operations that a call without further parameters may use now. */
export function allowedOperations(plan: LegalPlan): readonly PlanOperation[] {
  return PLAN_OPERATIONS.filter((operation) => isAllowed(plan, operation));
}

/** Says why not, and what is possible instead. */
function invalidState(
  plan: LegalPlan,
  operation: PlanOperation,
  why?: string,
): BusinessRuleViolation {
  const allowed = allowedOperations(plan);
  const reason = why ?? `${operation} is not possible while the plan is ${pointOf(plan)}`;
  const remedy =
    allowed.length === 0 ? "Nothing more can be done with it." : `Possible: ${allowed.join(", ")}.`;
  return new BusinessRuleViolation(`Plan ${plan.plan_id}: ${reason}. ${remedy}`, {
    details: {
      plan_id: plan.plan_id,
      phase: plan.phase,
      state: plan.state,
      operation,
      allowed_operations: [...allowed],
      version: plan.version,
    },
  });
}

/** @throws BusinessRuleViolation with what is allowed */
export function checkAllowed(plan: LegalPlan, operation: PlanOperation): void {
  if (isAllowed(plan, operation)) return;
  const verdict = verdictOf(pointOf(plan), operation);
  if (verdict === "retry") {
    throw invalidState(
      plan,
      operation,
      "it failed, and runs again only with plan.retry or retry: true",
    );
  }
  if (plan.merge !== null && verdict !== "refuse") {
    throw invalidState(plan, operation, "its change is being merged into the target");
  }
  if (operation === "plan.revert" && verdict === "accept") {
    throw invalidState(
      plan,
      operation,
      `it was reverted ${MAX_REVERSIONS} times, which is as often as a plan can be`,
    );
  }
  throw invalidState(plan, operation);
}
