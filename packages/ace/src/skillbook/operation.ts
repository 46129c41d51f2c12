import type { SkillTag } from "./skill.ts";
import type { InsightSource } from "./source.ts";

interface Provenance {
  readonly sources?: readonly InsightSource[];
  /** Which reflection of the batch led to this operation (0-based). */
  readonly reflectionIndex?: number;
  /** Which of that reflection's learnings (0-based). */
  readonly learningIndex?: number;
}

export interface AddOperation extends Provenance {
  readonly type: "ADD";
  readonly section: string;
  readonly content: string;
  readonly justification?: string | null;
  readonly evidence?: string | null;
}

export interface UpdateOperation extends Provenance {
  readonly type: "UPDATE";
  readonly skillId: string;
  readonly content?: string;
  readonly justification?: string | null;
  readonly evidence?: string | null;
}

/** Raises one counter of a skill by 1. */
export interface TagOperation extends Provenance {
  readonly type: "TAG";
  readonly skillId: string;
  readonly tag: SkillTag;
}

/** Soft removal: the skill stays in the book with status `invalid`. */
export interface RemoveOperation extends Provenance {
  readonly type: "REMOVE";
  readonly skillId: string;
}

export type Operation = AddOperation | UpdateOperation | TagOperation | RemoveOperation;
export type OperationType = Operation["type"];

export const SKIP_REASONS = [
  "invalid_operation",
  "empty_content",
  "too_long",
  "unknown_skill",
  "inactive_skill",
  "duplicate",
  "duplicate_id",
  "book_full",
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

export interface AppliedOperation {
  /** Position in the batch. */
  readonly index: number;
  readonly type: OperationType;
  readonly skillId: string;
}

export interface SkippedOperation {
  readonly index: number;
  readonly reason: SkipReason;
  /** For people: what was wrong with which value. */
  readonly message: string;
  /** For `duplicate`: the skill that already says it. */
  readonly skillId?: string;
}

export interface ApplyReport {
  readonly applied: readonly AppliedOperation[];
  readonly skipped: readonly SkippedOperation[];
  /** Revision of the book after the batch. */
  readonly revision: number;
}
