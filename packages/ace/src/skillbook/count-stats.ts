import { isLeftOut } from "./choose.ts";
import type { Skill } from "./skill.ts";
import type { SkillbookStats } from "./stats.ts";

/** Counts active skills; the others of `all` count as `invalid` and nowhere else. */
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
  // `fromEntries` defines its keys, where an assignment to `__proto__` (a possible section) would set the prototype.
  const bySection = Object.fromEntries(sections);
  return { sections: sections.size, skills, invalid, bySection, tags, leftOut, revision };
}
