import type { Evaluation } from "../evaluation/evaluation.ts";
import type { Skill, SkillTag } from "../skillbook/skill.ts";
import type { SkillbookView } from "../skillbook/view.ts";

export interface ReflectorInput {
  readonly question: string;
  readonly context: string;
  /** Absent when only the answer is known. */
  readonly reasoning?: string;
  readonly answer: string;
  readonly groundTruth?: string;
  readonly evaluation?: Evaluation;
  /** Free text of a person or test. */
  readonly feedback?: string;
  /** The cited skills that exist. */
  readonly citedSkills: readonly Skill[];
  /** Everything else that a trace carried, rendered as bounded text. */
  readonly trace?: string;
  readonly skillbook: SkillbookView;
  readonly signal?: AbortSignal;
}

export interface ExtractedLearning {
  readonly learning: string;
  /** 0 … 1: how far it is one single idea. */
  readonly atomicityScore: number;
  readonly evidence: string;
  readonly justification: string;
}

export interface ReflectorOutput {
  readonly reasoning: string;
  readonly errorIdentification: string;
  readonly rootCauseAnalysis: string;
  readonly correctApproach: string;
  readonly keyInsight: string;
  readonly extractedLearnings: readonly ExtractedLearning[];
  readonly skillTags: readonly { readonly id: string; readonly tag: SkillTag }[];
  readonly raw?: Readonly<Record<string, unknown>>;
}

/** Port: distils lessons from one piece of experience. */
export interface ReflectorRole {
  /** `undefined` = nothing to learn (a failed or budget-stopped reflection must never become a lesson). */
  reflect(input: ReflectorInput): Promise<ReflectorOutput | undefined>;
}
