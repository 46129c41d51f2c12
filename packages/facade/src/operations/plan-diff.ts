import { z } from "zod";
import { PLAN_PHASES } from "../plans/plan.ts";
import type { PlanDiff } from "../services/plan-lifecycle-service.ts";
import { nextCursor, planIdParam } from "./common-params.ts";
import { defineOperation } from "./operation.ts";

const change = z.looseObject({ path: z.string(), op: z.string() });

export const planDiff = defineOperation({
  name: "plan.diff",
  summary: "The real change of a plan's attempt, and whether it can be merged.",
  params: z.strictObject({
    plan_id: planIdParam,
    format: z.enum(["summary", "patch", "full"]).default("patch"),
    paths: z.array(z.string().min(1).max(4096)).min(1).max(200).exactOptional(),
    context_lines: z.number().int().min(0).max(100).default(3),
    /** `next_cursor` of the page before, with the same paths; of another change it is CONFLICT. */
    cursor: z.string().max(256).exactOptional(),
    /** Changes of a page, with the patch of these; absent: all. */
    limit: z.number().int().min(1).max(200).exactOptional(),
  }),
  output: z.looseObject({
    plan_id: z.string(),
    changes: z.array(change),
    phase: z.enum(PLAN_PHASES),
    state: z.string(),
    changeset_digest: z.string(),
    base_commit: z.string(),
    stats: z.looseObject({ files: z.number() }),
    partial: z.boolean(),
    /** The patch is cut, or there are more changes than these. */
    truncated: z.boolean(),
    next_cursor: nextCursor,
  }),
  scope: "plan:read",
  mutating: false,
  run: async ({ plan_id: id, context_lines: contextLines, ...options }, context) => {
    const diffPlan = context.services.method("plan_lifecycle_service", "diffPlan");
    return viewOfDiff(await diffPlan(id, { ...options, contextLines }, context));
  },
});

function viewOfDiff({ plan, diff, mergeable, partial, nextCursor: cursor = null }: PlanDiff) {
  const { action } = plan;
  return {
    plan_id: plan.plan_id,
    phase: plan.phase,
    state: plan.state,
    changes: diff.changes.map((each) => ({ ...each })),
    changeset_digest: diff.digest,
    base_commit: diff.base_commit,
    head_commit: diff.head_commit,
    target_ref: plan.base.target_ref,
    target_head: mergeable?.target_head ?? null,
    behind: mergeable?.behind ?? null,
    mergeable:
      mergeable === null ? null : { clean: mergeable.clean, conflicts: mergeable.conflicts },
    stats: { ...diff.stats },
    ...(diff.patch !== undefined && { patch: diff.patch }),
    truncated: diff.truncated,
    next_cursor: cursor,
    partial,
    action: { name: action.name, digest: action.digest, source: action.source },
    validations: action.validations.length === 0 ? "none" : action.validations,
    definition_of_done:
      action.definition_of_done === null
        ? null
        : { text: action.definition_of_done, checked: false },
    warnings: plan.base.warnings,
  };
}
