import type { SkillTag } from "@acumen/ace";
import type { Rating, RatedTurn } from "./rated-turn.ts";

/** Among more skills nobody can say which one the outcome came from. */
const FEW = 5;

/** One count that a rating gives to a skill, under its shown id. */
export interface SkillCount {
  readonly skillId: string;
  readonly tag: SkillTag;
}

/**
 * The skills that had a part in a turn: those that its messages cite; when they cite none, those of its prompt, as long as these are
 * at most five. Blaming a whole book for one bad turn would soon empty it.
 */
export function skillsInPlay({ events }: RatedTurn): readonly string[] {
  const cited = new Set<string>();
  const applied = new Set<string>();
  for (const { type, payload } of events) {
    if (type === "ASSISTANT_MESSAGE") for (const id of payload.skill_ids) cited.add(id);
    if (type === "SKILLS_APPLIED") for (const id of payload.skill_ids) applied.add(id);
  }
  if (cited.size > 0) return [...cited];
  return applied.size <= FEW ? [...applied] : [];
}

export function countsOf(skillIds: readonly string[], rating: Rating): readonly SkillCount[] {
  const tag = rating === "good" ? "helpful" : "harmful";
  return skillIds.map((skillId) => ({ skillId, tag }));
}

/** One count for each skill: what the rating says of it, else what the model says first. Two tags for one turn would contradict each other. */
export function uniteCounts(
  rated: readonly SkillCount[],
  tagged: readonly SkillCount[],
): readonly SkillCount[] {
  const united = new Map<string, SkillCount>();
  for (const count of [...rated, ...tagged]) {
    if (!united.has(count.skillId)) united.set(count.skillId, count);
  }
  return [...united.values()];
}
