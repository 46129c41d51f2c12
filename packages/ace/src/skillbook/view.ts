import type { Skill } from "./skill.ts";
import type { SkillbookStats } from "./stats.ts";

export interface ContextOptions {
  /** Text beside the question that helps to choose. */
  readonly context?: string;
  /** Most tokens that the skills may take. Default 4,000. */
  readonly budget?: number;
}

/** What roles and steps see of a book: reading only, always consistent because skills are immutable. */
export interface SkillbookView {
  readonly revision: number;
  /** Active skills. */
  readonly size: number;
  get(id: string): Skill | undefined;
  /** In insertion order. */
  skills(options?: { readonly includeInvalid?: boolean }): readonly Skill[];
  stats(): SkillbookStats;
  /** The skills that would be printed for a question, in stable id order. */
  choose(question: string, options?: ContextOptions): readonly Skill[];
  /** {@link choose} as a delimited prompt block. */
  asContext(question: string, options?: ContextOptions): string;
}
