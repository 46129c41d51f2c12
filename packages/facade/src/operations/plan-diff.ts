import { z } from "zod";
import { AcpNotAvailableError } from "../errors/acp-error.ts";
import { type PageOptions, pageOfDiff } from "../plans/diff-page.ts";
import { type Plan, PLAN_PHASES } from "../plans/plan.ts";
import type { Change } from "../sandbox/change.ts";
import type { PlanDiff } from "../services/plan-lifecycle-service.ts";
import { nextCursor, planIdParam } from "./common-params.ts";
import { defineOperation } from "./operation.ts";
import { changeRecord, mergeableRecord, statsRecord } from "./plan-records.ts";

type Action = Plan["action"];

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
    changes: z.array(changeRecord),
    phase: z.enum(PLAN_PHASES),
    state: z.string(),
    changeset_digest: z.string(),
    base_commit: z.string(),
    stats: statsRecord,
    /** Of these changes, unless `format` is `summary`; `full` has binary files too. */
    patch: z.string().exactOptional(),
    /** Null: it cannot be said yet, or any more. */
    mergeable: mergeableRecord.nullable(),
    target_ref: z.string().nullable(),
    target_head: z.string().nullable(),
    /** Commits of the target that the attempt does not have. */
    behind: z.number().int().nullable(),
    partial: z.boolean(),
    /** The patch is cut, or there are more changes than these. */
    truncated: z.boolean(),
    next_cursor: nextCursor,
    /** As it stood at the base commit when the plan was made; absent where a user's own service does not keep it. */
    action: z
      .looseObject({
        name: z.string(),
        digest: z.string(),
        source: z.string(),
        /** With the arguments filled in. */
        prompt: z.string(),
      })
      .exactOptional(),
  }),
  scope: "plan:read",
  mutating: false,
  run: async ({ plan_id: id, context_lines: contextLines, ...options }, context) => {
    const service = context.services.get("plan_lifecycle_service");
    if (service.diffPlan === undefined) {
      return viewOfDiff(recordedDiff(await service.getPlan(id, context), options));
    }
    return viewOfDiff(await service.diffPlan(id, { ...options, contextLines }, context));
  },
});

/**
 * What the record of a plan says of its change, for a user's own service that has no `diffPlan`: without a patch, and nobody asks whether
 * it merges.
 * @throws AcpNotAvailableError when the record says nothing
 */
function recordedDiff(plan: Plan, options: PageOptions): PlanDiff {
  const { paths } = options;
  const { state } = plan;
  const { changeset }: Partial<Pick<Plan, "changeset">> = plan;
  if (changeset === undefined || changeset === null) {
    throw new AcpNotAvailableError(
      "The service plan_lifecycle_service has no method diffPlan, and its plan no changeset to show.",
      { details: { service: "plan_lifecycle_service", method: "diffPlan" } },
    );
  }
  const changes = changeset.changes.filter((each) => paths === undefined || isAmong(each, paths));
  const page = pageOfDiff({ digest: changeset.digest, changes }, options);
  return {
    plan,
    diff: { ...changeset, changes: page.changes, truncated: page.nextCursor !== null },
    mergeable: null,
    partial: state === "processing",
    nextCursor: page.nextCursor,
  };
}

function isAmong({ path }: Change, paths: readonly string[]): boolean {
  return paths.some((wanted) => path === wanted || path.startsWith(`${wanted}/`));
}

/** A record of a user's own service may lack its action and its base. */
function viewOfDiff({ plan, diff, mergeable, partial, nextCursor: cursor = null }: PlanDiff) {
  const { action, base }: Partial<Pick<Plan, "action" | "base">> = plan;
  return {
    plan_id: plan.plan_id,
    phase: plan.phase,
    state: plan.state,
    changes: diff.changes.map((each) => ({ ...each })),
    changeset_digest: diff.digest,
    base_commit: diff.base_commit,
    head_commit: diff.head_commit,
    target_ref: base?.target_ref ?? null,
    target_head: mergeable?.target_head ?? null,
    behind: mergeable?.behind ?? null,
    mergeable:
      mergeable === null
        ? null
        : { clean: mergeable.clean, conflicts: mergeable.conflicts.map((each) => ({ ...each })) },
    stats: { ...diff.stats },
    ...(diff.patch !== undefined && { patch: diff.patch }),
    truncated: diff.truncated,
    next_cursor: cursor,
    partial,
    ...(action !== undefined && viewOfAction(action)),
    warnings: base?.warnings ?? [],
  };
}

function viewOfAction(action: Action) {
  const { name, digest, source, prompt, validations, definition_of_done: done } = action;
  return {
    action: { name, digest, source, prompt },
    validations: validations.length === 0 ? "none" : validations,
    definition_of_done: done === null ? null : { text: done, checked: false },
  };
}
