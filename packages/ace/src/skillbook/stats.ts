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

/** {@link SkillbookStats} as it goes over a wire. */
export interface SkillbookStatsRecord {
  sections: number;
  skills: number;
  invalid: number;
  by_section: Record<string, number>;
  tags: Record<SkillTag, number>;
  revision: number;
  left_out: number;
}

/** The snake_case shape of the contract. */
export function statsRecord(stats: SkillbookStats): SkillbookStatsRecord {
  const { sections, skills, invalid, bySection, tags, revision, leftOut } = stats;
  return {
    sections,
    skills,
    invalid,
    by_section: { ...bySection },
    tags: { ...tags },
    revision,
    left_out: leftOut,
  };
}
