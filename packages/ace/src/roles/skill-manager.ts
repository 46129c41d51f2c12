import type { Evaluation } from "../evaluation/evaluation.ts";
import type { Operation } from "../skillbook/operation.ts";
import type { SkillbookView } from "../skillbook/view.ts";
import type { ReflectorOutput } from "./reflector.ts";

export interface SkillManagerInput {
  /** For example `Epoch 1/3, sample 4/25`. */
  readonly progress: string;
  readonly reflections: readonly ReflectorOutput[];
  /** The book as it stands now; no other update happens until this one is applied. */
  readonly skillbook: SkillbookView;
  readonly question: string;
  readonly context: string;
  readonly answer: string;
  readonly groundTruth?: string;
  readonly evaluation?: Evaluation;
  readonly feedback?: string;
  readonly signal?: AbortSignal;
}

export interface SkillManagerOutput {
  readonly update: {
    readonly reasoning: string;
    /** Validated one by one when applied, so a model's odd operation costs only itself. */
    readonly operations: readonly (Operation | Readonly<Record<string, unknown>>)[];
  };
  readonly raw?: Readonly<Record<string, unknown>>;
}

/** Port: turns reflections into operations on the skillbook. It proposes; applying is the pipeline's work. */
export interface SkillManagerRole {
  update(input: SkillManagerInput): Promise<SkillManagerOutput>;
}
