import { z } from "zod";
import { PLAN_PHASES } from "../plans/plan.ts";

/** What stands in a plan's record. A user's own service may know less of it, so that nothing within is required. */
export const changeRecord = z
  .looseObject({
    path: z.string(),
    op: z.string(),
    old_path: z.string().nullable().exactOptional(),
    insertions: z.number().int().nullable().exactOptional(),
    deletions: z.number().int().nullable().exactOptional(),
    binary: z.boolean().exactOptional(),
    old_mode: z.string().nullable().exactOptional(),
    new_mode: z.string().nullable().exactOptional(),
    note: z.string().nullable().exactOptional(),
  })
  .describe("How one path differs; op is add, modify, delete, rename or mode.");

export const statsRecord = z.looseObject({
  files: z.number().int(),
  insertions: z.number().int().exactOptional(),
  deletions: z.number().int().exactOptional(),
});

export const conflictRecord = z.looseObject({
  path: z.string(),
  kind: z.string().exactOptional(),
  base: z.string().nullable().exactOptional(),
  ours: z.string().nullable().exactOptional(),
  theirs: z.string().nullable().exactOptional(),
});

/** Whether a change would merge with the target as it is. */
export const mergeableRecord = z.looseObject({
  clean: z.boolean(),
  conflicts: z.array(conflictRecord),
  target_head: z.string().nullable().exactOptional(),
});

export const validationRecord = z.looseObject({
  name: z.string().exactOptional(),
  status: z.string().exactOptional(),
  exit_code: z.number().int().nullable().exactOptional(),
  duration_ms: z.number().exactOptional(),
  output: z.string().exactOptional(),
});

export const receiptRecord = z.looseObject({
  commit: z.string().nullable().exactOptional(),
  target_ref: z.string().nullable().exactOptional(),
  changeset_digest: z.string().exactOptional(),
  stats: statsRecord.exactOptional(),
  applied_at: z.string().exactOptional(),
  validations: z.union([z.literal("none"), z.array(validationRecord)]).exactOptional(),
});

export const failureRecord = z.looseObject({
  code: z.string().exactOptional(),
  message: z.string().exactOptional(),
  phase: z.enum(PLAN_PHASES).exactOptional(),
  attempt: z.number().int().exactOptional(),
  retryable: z.boolean().exactOptional(),
});

export const strategyRecord = z.looseObject({
  rationale: z.string().exactOptional(),
  steps: z.array(z.looseObject({ content: z.string().exactOptional() })).exactOptional(),
});

export const changesetRecord = z.looseObject({
  digest: z.string().exactOptional(),
  base_commit: z.string().exactOptional(),
  stats: statsRecord.exactOptional(),
  changes: z.array(changeRecord).exactOptional(),
});

export const approvalRecord = z.looseObject({
  plan_id: z.string(),
  call_id: z.string(),
  tool: z.string().exactOptional(),
  title: z.string().exactOptional(),
  command: z.string().nullable().exactOptional(),
  input: z.string().exactOptional(),
  options: z.array(z.string()).exactOptional(),
  expires_at: z.string().exactOptional(),
});
