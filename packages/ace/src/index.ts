// Adding a name here makes it public.
export {
  MODEL_FAILURE_KINDS,
  type ModelFailure,
  modelError,
  type ModelFailureKind,
} from "@acumen/models";
export { ACE_ERRORS, type AceErrorCode } from "./errors.ts";
export {
  type EvaluateOptions,
  type Evaluation,
  type Sample,
  type TaskEnvironment,
} from "./evaluation/evaluation.ts";
export {
  compareWithTruth,
  GroundTruthEnvironment,
  type GroundTruthOptions,
} from "./evaluation/ground-truth.ts";
export { type Polarity, polarityOf } from "./evaluation/polarity.ts";
export { type Scorer, type ScorerName, type ScorerOptions, scorers } from "./evaluation/scorers.ts";
export { type AgentInput, type AgentOutput, type AgentRole } from "./roles/agent.ts";
export { citedSkillIds } from "./roles/citations.ts";
export { createModelRoles } from "./roles/model/index.ts";
export { ModelAgent } from "./roles/model/model-agent.ts";
export { ModelReflector } from "./roles/model/model-reflector.ts";
export { ModelSkillManager } from "./roles/model/model-skill-manager.ts";
export { type ModelRoleOptions } from "./roles/model/role-caller.ts";
export { createRecallRoles, RECALL_MODEL_ID } from "./roles/recall/index.ts";
export {
  type ExtractedLearning,
  type ReflectorInput,
  type ReflectorOutput,
  type ReflectorRole,
} from "./roles/reflector.ts";
export { type RoleSet } from "./roles/role-set.ts";
export {
  type SkillManagerInput,
  type SkillManagerOutput,
  type SkillManagerRole,
} from "./roles/skill-manager.ts";
export { Ace } from "./runner/ace.ts";
export { type AceOptions, type ModelSettings } from "./runner/ace-options.ts";
export {
  type AskOptions,
  type BookFileOptions,
  type LearnOptions,
  type LearnTracesOptions,
  type RoleModels,
} from "./runner/call-options.ts";
export { type Feedback } from "./runner/feedback.ts";
export { resolveRoles, type ResolveRolesOptions } from "./runner/model-resolver.ts";
export {
  type AskResult,
  type FeedbackReport,
  type LearnProgress,
  type LearnReport,
  type SampleResult,
  type TraceLearnReport,
} from "./runner/reports.ts";
export { type SkippedLine } from "./runner/trace-file.ts";
export { type ApplyOptions } from "./skillbook/apply.ts";
export {
  type ConsolidationOptions,
  type ConsolidationReport,
  type MergedCluster,
} from "./skillbook/consolidate.ts";
export {
  DIFF_FIELDS,
  type DiffField,
  diffSkillbooks,
  type SkillbookDiff,
  type SkillChange,
} from "./skillbook/diff.ts";
export {
  type LoadOptions,
  loadSkillbook,
  type SaveOptions,
  saveSkillbook,
  SKILLBOOK_FILE_REASONS,
  type SkillbookFileReason,
} from "./skillbook/file.ts";
export { type LoadReport, type RepairedField, type SkippedRecord } from "./skillbook/load.ts";
export { type BookMergeReport, mergeSkillbooks } from "./skillbook/merge-books.ts";
export { type MergeReport } from "./skillbook/merge-skills.ts";
export { type ForeignFormat } from "./skillbook/migrate.ts";
export {
  findNearDuplicates,
  type NearDuplicateCluster,
  type NearDuplicateOptions,
} from "./skillbook/near-duplicates.ts";
export {
  type AddOperation,
  type AppliedOperation,
  type ApplyReport,
  type Operation,
  type OperationType,
  type RemoveOperation,
  SKIP_REASONS,
  type SkippedOperation,
  type SkipReason,
  type TagOperation,
  type UpdateOperation,
} from "./skillbook/operation.ts";
export {
  type Skill,
  SKILL_TAGS,
  SKILLBOOK_LIMITS,
  type SkillStatus,
  type SkillTag,
} from "./skillbook/skill.ts";
export { Skillbook, type SkillbookOptions } from "./skillbook/skillbook.ts";
export { type SkillbookRecord, type SkillRecord } from "./skillbook/serialise.ts";
export { type SkillbookSnapshot } from "./skillbook/snapshot.ts";
export { type InsightSource, SKILL_ORIGINS, type SkillOrigin } from "./skillbook/source.ts";
export { type SkillbookStats, type SkillbookStatsRecord, statsRecord } from "./skillbook/stats.ts";
export { type ContextOptions, type SkillbookView } from "./skillbook/view.ts";
export { escapeMarkers } from "./text/escape-markers.ts";
export { estimateTokens } from "./text/estimate-tokens.ts";
export { stripUnsafe } from "./text/sanitise.ts";
