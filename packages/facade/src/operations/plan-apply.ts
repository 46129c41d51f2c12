import { z } from "zod";
import { shownAfterChange } from "../errors/after-change.ts";
import type { PlanAnswer } from "../services/plan-lifecycle-service.ts";
import { MAX_WAIT_MS, planIdParam, waitMs, waitParam } from "./common-params.ts";
import { defineOperation } from "./operation.ts";
import {
  conflictRecord,
  failureRecord,
  mergeableRecord,
  receiptRecord,
  validationRecord,
} from "./plan-records.ts";
import { headOfPlan, planHeadView } from "./plan-view.ts";

export const planApply = defineOperation({
  name: "plan.apply",
  summary: "Merges a plan's change into the project, after its validations.",
  params: z.strictObject({
    plan_id: planIdParam,
    /** `changeset_digest` of the diff that was reviewed. */
    expected_digest: z.string().max(128).exactOptional(),
    /** `target_head` of that diff. */
    expected_target_head: z.string().max(128).exactOptional(),
    /** Of the merge commit. */
    message: z.string().min(1).max(10_000).exactOptional(),
    dry_run: z.boolean().default(false),
    wait: waitParam.default(MAX_WAIT_MS),
  }),
  output: planHeadView.extend({
    receipt: receiptRecord.nullable(),
    validations: z.union([z.literal("none"), z.array(validationRecord)]).nullable(),
    conflicts: z.array(conflictRecord),
    error: failureRecord.exactOptional(),
    /** Of a dry run: whether the change would merge with the target as it is now. */
    mergeable: mergeableRecord.exactOptional(),
  }),
  scope: "plan:apply",
  mutating: true,
  run: async (params, context) => {
    const answer = await context.services.get("plan_lifecycle_service").applyPlan(
      params.plan_id,
      {
        expected_digest: params.expected_digest ?? null,
        expected_target_head: params.expected_target_head ?? null,
        message: params.message ?? null,
        dryRun: params.dry_run,
        waitMs: waitMs(params.wait),
      },
      context,
    );
    return shownAfterChange(() => viewOfAnswer(answer));
  },
});

type Receipt = z.input<typeof receiptRecord>;

function viewOfAnswer({ plan, already, mergeable }: PlanAnswer) {
  return {
    ...headOfPlan(plan, already),
    receipt: plan.receipt === null || plan.receipt === undefined ? null : (plan.receipt as Receipt),
    validations: validationsOf(plan),
    conflicts: (plan.conflicts ?? []).map((conflict) => ({ ...conflict })),
    ...(mergeable !== undefined && {
      mergeable: { ...mergeable, conflicts: mergeable.conflicts.map((each) => ({ ...each })) },
    }),
    ...(plan.error !== null && plan.error !== undefined && { error: { ...plan.error } }),
  };
}

function validationsOf({
  action,
  validations,
}: {
  readonly action?: { readonly validations: readonly unknown[] };
  readonly validations?: readonly object[] | null;
}): "none" | { [key: string]: unknown }[] | null {
  if (action?.validations.length === 0) return "none";
  return validations?.map((result) => ({ ...result })) ?? null;
}
