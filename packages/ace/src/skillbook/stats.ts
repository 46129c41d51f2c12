import type { SkillTag } from "./skill.ts";

export interface SkillbookStats {
  /** Sections with at least one active skill. */
  readonly sections: number;
  /** Active skills. */
  readonly skills: number;
  readonly invalid: number;
  readonly bySection: Readonly<Record<string, number>>;
  readonly tags: Readonly<Record<SkillTag, number>>;
  /** Active skills left out of prompts: harmful >= 3 and harmful > helpful. */
  readonly leftOut: number;
  readonly revision: number;
}
