import type { Sample } from "../evaluation/evaluation.ts";
import { type Step, stepFactory } from "../pipeline/step.ts";
import type { AgentOutput } from "../roles/agent.ts";
import type { ReflectorOutput } from "../roles/reflector.ts";
import type { SkillManagerOutput } from "../roles/skill-manager.ts";
import type { ApplyReport } from "../skillbook/operation.ts";
import type { SkillOrigin } from "../skillbook/source.ts";
import type { SkillbookView } from "../skillbook/view.ts";
import type { TraceIdentity } from "./provenance/identity.ts";
import type { Trace } from "./traces.ts";

/** Where one piece of experience stands in its learning call; all numbers start at 1. */
export interface Position {
  readonly epoch: number;
  readonly epochs: number;
  readonly number: number;
  readonly count: number;
  /** Counted through all epochs. */
  readonly overall: number;
}

export interface Provenance {
  readonly identity: TraceIdentity;
  readonly origin: SkillOrigin;
}

/** The fields that the learning steps read and provide. */
export interface LearningFields {
  readonly skillbook: SkillbookView;
  readonly position: Position;
  readonly sample: Sample;
  /** A trace as its caller gave it, in a box because it may be any value. */
  readonly rawTrace: { readonly value: unknown };
  readonly provenance: Provenance;
  readonly agentOutput: AgentOutput;
  readonly trace: Trace;
  /** None when there is nothing to learn. */
  readonly reflections: readonly ReflectorOutput[];
  readonly skillManagerOutput: SkillManagerOutput;
  readonly applied: ApplyReport;
}

export type LearningStep<
  Requires extends keyof LearningFields,
  Provides extends keyof LearningFields,
> = Step<LearningFields, Requires, Provides>;

export const learningStep = stepFactory<LearningFields>();
