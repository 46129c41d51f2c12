import type { Skill, SkillTag } from "./skill.ts";

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

const HARMFUL_ENOUGH = 3;

/** Whether a skill has done more harm than good often enough to stay out of prompts. */
export function isLeftOut(skill: Pick<Skill, "helpful" | "harmful">): boolean {
  return skill.harmful >= HARMFUL_ENOUGH && skill.harmful > skill.helpful;
}

/** Counts active skills; those of `all` that are not active count as `invalid` and nowhere else. */
export function countStats(all: Iterable<Skill>, revision: number): SkillbookStats {
  const sections = new Map<string, number>();
  const tags = { helpful: 0, harmful: 0, neutral: 0 };
  let skills = 0;
  let invalid = 0;
  let leftOut = 0;
  for (const skill of all) {
    if (skill.status !== "active") {
      invalid += 1;
      continue;
    }
    skills += 1;
    sections.set(skill.section, (sections.get(skill.section) ?? 0) + 1);
    tags.helpful += skill.helpful;
    tags.harmful += skill.harmful;
    tags.neutral += skill.neutral;
    if (isLeftOut(skill)) leftOut += 1;
  }
  const bySection = Object.fromEntries(sections);
  return { sections: sections.size, skills, invalid, bySection, tags, leftOut, revision };
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
