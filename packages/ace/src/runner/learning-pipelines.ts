import type { TaskEnvironment } from "../evaluation/evaluation.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import type { AnyStep } from "../pipeline/step.ts";
import type { RoleSet } from "../roles/role-set.ts";
import type { Skillbook } from "../skillbook/skillbook.ts";
import type { SkillOrigin } from "../skillbook/source.ts";
import type { CheckpointOptions } from "./checkpoint.ts";
import type { JudgeOptions } from "./judge.ts";
import type { LearningFields } from "./learning-fields.ts";
import { checkpointStep, deduplicateStep } from "./steps/after-steps.ts";
import { applyStep, attachSourcesStep, updateStep } from "./steps/commit-steps.ts";
import { agentStep, evaluateStep, judgeStep, loadTraceStep } from "./steps/prepare-steps.ts";
import { reflectStep } from "./steps/reflect-step.ts";

/** What follows each sample beside its update. */
export interface Upkeep {
  readonly deduplicateInterval?: number | undefined;
  readonly checkpoint?: CheckpointOptions | undefined;
}

type LearningPipeline = Pipeline<LearningFields>;

/** Agent, Evaluate, Reflect, Update, AttachSources, Apply [, Deduplicate][, Checkpoint]. */
export function samplePipeline(
  roles: RoleSet,
  skillbook: Skillbook,
  judging: { environment: TaskEnvironment; knownAnswers: ReadonlySet<string> },
  upkeep: Upkeep,
): LearningPipeline {
  return new Pipeline<LearningFields>(
    [
      agentStep(roles.agent),
      evaluateStep(judging.environment, judging.knownAnswers),
      ...learningTail(roles, skillbook, upkeep),
    ],
    { inputs: ["skillbook", "position", "sample", "provenance"] },
  );
}

/** The same from Reflect on, for work that was done elsewhere and comes as any value. */
export function tracePipeline(
  roles: RoleSet,
  skillbook: Skillbook,
  judging: Omit<JudgeOptions, "signal">,
  upkeep: Upkeep & { readonly origin: SkillOrigin },
): LearningPipeline {
  return new Pipeline<LearningFields>(
    [loadTraceStep(upkeep.origin), judgeStep(judging), ...learningTail(roles, skillbook, upkeep)],
    { inputs: ["skillbook", "position", "rawTrace"] },
  );
}

/** One judged trace: no upkeep, because feedback comes one at a time. */
export function feedbackPipeline(
  roles: RoleSet,
  skillbook: Skillbook,
  judging: Omit<JudgeOptions, "signal">,
): LearningPipeline {
  return new Pipeline<LearningFields>([judgeStep(judging), ...learningTail(roles, skillbook, {})], {
    inputs: ["skillbook", "position", "trace", "provenance"],
  });
}

function learningTail(
  roles: RoleSet,
  skillbook: Skillbook,
  { deduplicateInterval, checkpoint }: Upkeep,
): readonly AnyStep<LearningFields>[] {
  return [
    reflectStep(roles.reflector),
    updateStep(roles.skillManager),
    attachSourcesStep(),
    applyStep(skillbook),
    ...(deduplicateInterval === undefined ? [] : [deduplicateStep(skillbook, deduplicateInterval)]),
    ...(checkpoint ? [checkpointStep(skillbook, checkpoint)] : []),
  ];
}
