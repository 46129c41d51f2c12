import { describe, expect, it } from "vitest";
import { BusinessRuleViolation } from "../../src/errors/domain-error.ts";
import {
  allowedOperations,
  PLAN_OPERATIONS,
  type PlanOperation,
} from "../../src/plans/legal-calls.ts";
import type { Plan } from "../../src/plans/plan.ts";
import { PLAN_POINTS, type PlanPoint, pointOf } from "../../src/plans/transitions.ts";
import type { PlanAnswer, PlanDiff } from "../../src/services/plan-lifecycle-service.ts";
import { STORES } from "../support/facade-stores.ts";
import { planAt } from "../support/plan-at.ts";
import { callerOf, PlanBench, PROJECT } from "../support/plan-bench.ts";

/** `same`: acknowledged, and nothing changed. A point: where the plan is then. `no`: INVALID_STATE. `shown`: a diff. */
type Outcome = PlanPoint | "same" | "no" | "shown" | "partial" | "archived";
type Row = readonly [Outcome, Outcome, Outcome, Outcome, Outcome, Outcome];

/** execute, diff, apply, cancel, retry, revert; all without further parameters. */
const AGREED: Readonly<Record<PlanPoint, Row>> = {
  "strategize/queued": ["strategize/queued", "no", "no", "strategize/cancelled", "no", "no"],
  "strategize/processing": [
    "strategize/processing",
    "no",
    "no",
    "strategize/cancelled",
    "no",
    "no",
  ],
  "strategize/complete": ["execute/queued", "no", "no", "strategize/cancelled", "no", "no"],
  "strategize/errored": ["no", "no", "no", "strategize/cancelled", "strategize/queued", "no"],
  "strategize/cancelled": ["no", "no", "no", "same", "no", "no"],
  "execute/queued": ["same", "partial", "no", "execute/cancelled", "no", "no"],
  "execute/processing": ["same", "partial", "no", "execute/cancelled", "no", "no"],
  "execute/complete": [
    "same",
    "shown",
    "apply/queued",
    "execute/cancelled",
    "no",
    "strategize/queued",
  ],
  "execute/errored": [
    "no",
    "partial",
    "no",
    "execute/cancelled",
    "execute/queued",
    "strategize/queued",
  ],
  "execute/cancelled": ["no", "no", "no", "same", "no", "no"],
  "apply/queued": ["same", "shown", "same", "apply/cancelled", "no", "no"],
  "apply/processing": ["same", "shown", "same", "apply/cancelled", "no", "no"],
  "apply/applied": ["no", "archived", "same", "no", "no", "no"],
  "apply/constrained": [
    "no",
    "shown",
    "apply/queued",
    "apply/cancelled",
    "no",
    "strategize/queued",
  ],
  "apply/errored": [
    "no",
    "shown",
    "apply/queued",
    "apply/cancelled",
    "apply/queued",
    "strategize/queued",
  ],
  "apply/cancelled": ["no", "archived", "no", "same", "no", "no"],
};

function callOf(
  bench: PlanBench,
  operation: PlanOperation,
  plan: Plan,
): Promise<PlanAnswer | PlanDiff> {
  const { plans } = bench;
  const { plan_id: id } = plan;
  const request = { expected_digest: null, expected_target_head: null, message: null };
  switch (operation) {
    case "plan.execute":
      return plans.executePlan(id, { retry: false, waitMs: 0 }, callerOf());
    case "plan.diff":
      return plans.diffPlan(id, { format: "summary" }, callerOf());
    case "plan.apply":
      return plans.applyPlan(id, { ...request, waitMs: 0, dryRun: false }, callerOf());
    case "plan.cancel":
      return plans.cancelPlan(id, callerOf());
    case "plan.retry":
      return plans.retryPlan(id, callerOf());
    case "plan.revert":
      return plans.revertPlan(id, {}, callerOf());
  }
}

const CASES = PLAN_POINTS.flatMap((point) =>
  PLAN_OPERATIONS.map((operation, index) => ({
    point,
    operation,
    outcome: AGREED[point][index] ?? "no",
  })),
);

describe.each(STORES)("calls of plans on the store $name", ({ open }) => {
  it.each(CASES)("$operation at $point: $outcome", async ({ point, operation, outcome }) => {
    await using opened = await open();
    const bench = new PlanBench({ store: opened.store });
    const plan = planAt(point);
    await bench.store.commit({ plans: [plan] });
    const { plan_id: planId, base } = plan;
    const { signal } = new AbortController();
    if (plan.sandbox !== null) await bench.sandboxes.create({ planId, attempt: 1, base }, signal);

    if (outcome === "no") {
      const refused = await callOf(bench, operation, plan).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(BusinessRuleViolation);
      expect(refused).toMatchObject({
        code: "FACADE_INVALID_STATE",
        details: {
          plan_id: planId,
          phase: plan.phase,
          state: plan.state,
          operation,
          allowed_operations: PLAN_OPERATIONS.filter((_, index) => AGREED[point][index] !== "no"),
          version: 1,
        },
      });
      expect(allowedOperations(plan)).not.toContain(operation);
      expect(await bench.plan(planId)).toEqual(plan);
      return;
    }
    expect(allowedOperations(plan)).toContain(operation);
    const answer = await callOf(bench, operation, plan);
    if (outcome === "same") {
      expect(answer).toEqual({ plan, already: true });
    } else if (outcome === "shown" || outcome === "partial" || outcome === "archived") {
      expect(answer).toMatchObject({ partial: outcome === "partial", diff: { changes: [] } });
      expect(answer.plan).toEqual(plan);
    } else {
      expect(pointOf(answer.plan)).toBe(outcome);
      expect(answer).not.toHaveProperty("already");
    }
  });
});

describe("allowedOperations", () => {
  it("shows what was applied or cancelled only while a patch of it is known", () => {
    expect(allowedOperations(planAt("execute/cancelled"))).not.toContain("plan.diff");
    expect(allowedOperations(planAt("apply/cancelled"))).toContain("plan.diff");
  });

  it("names no plan.revert for what was reverted three times", () => {
    for (const point of ["execute/complete", "execute/errored", "apply/constrained"] as const) {
      expect(allowedOperations(planAt(point, { reversion_count: 2 }))).toContain("plan.revert");
      expect(allowedOperations(planAt(point, { reversion_count: 3 }))).not.toContain("plan.revert");
    }
  });

  it("lets nobody cancel or revert what may have reached the target", () => {
    const merge = { commit: "c", target_ref: "refs/heads/main", target_head: "h" };
    for (const point of ["apply/processing", "apply/errored"] as const) {
      const allowed = allowedOperations(planAt(point, { merge }));
      expect(allowed).not.toContain("plan.cancel");
      expect(allowed).not.toContain("plan.revert");
      expect(allowed).toContain("plan.apply");
    }
  });

  it("names the project's state in the message, and the way on", async () => {
    const bench = new PlanBench({ projects: [PROJECT] });
    await bench.store.commit({ plans: [planAt("execute/errored")] });
    const { plan_id: id } = planAt("execute/errored");
    await expect(bench.execute(id)).rejects.toThrow(/retry: true.*plan\.retry/s);
  });
});
