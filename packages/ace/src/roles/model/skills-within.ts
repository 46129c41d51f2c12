import { tokensOfRow } from "../../skillbook/prompt-block.ts";
import type { Skill } from "../../skillbook/skill.ts";

/** The first skills whose rows take at most `tokens` together; one that does not fit is passed over. */
export function skillsWithin(skills: readonly Skill[], tokens: number): Skill[] {
  let left = tokens;
  return skills.filter((skill) => {
    const needed = tokensOfRow(skill);
    if (needed > left) return false;
    left -= needed;
    return true;
  });
}
