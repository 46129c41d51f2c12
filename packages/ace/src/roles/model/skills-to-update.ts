import { isLeftOut } from "../../skillbook/choose.ts";
import { compareSkillIds } from "../../skillbook/id-order.ts";
import type { Skill } from "../../skillbook/skill.ts";
import type { SkillbookView } from "../../skillbook/view.ts";
import type { ReflectorOutput } from "../reflector.ts";
import { skillsWithin } from "./skills-within.ts";

/** Half as much again as the agent sees: what is not shown here is added once more. */
const NEAREST_TOKENS = 6_000;
const TAGGED_TOKENS = 2_000;
const HARMFUL_TOKENS = 1_000;

/**
 * The skills that an update may be about, in stable id order: those nearest to what was learned, those that were tagged, and the
 * ones that did most harm, which no other prompt shows any more and which only an update can remove.
 */
export function skillsToUpdate(
  skillbook: SkillbookView,
  reflections: readonly ReflectorOutput[],
  question: string,
): readonly Skill[] {
  const learned = reflections.flatMap(({ keyInsight, extractedLearnings }) => [
    keyInsight,
    ...extractedLearnings.map(({ learning }) => learning),
  ]);
  const nearest = skillbook.choose(learned.join("\n"), {
    context: question,
    budget: NEAREST_TOKENS,
  });
  const tagged = reflections.flatMap(({ skillTags }) =>
    skillTags.flatMap(({ id }) => {
      const skill = skillbook.get(id);
      return skill?.status === "active" ? [skill] : [];
    }),
  );
  const harmful =
    skillbook.stats().leftOut === 0
      ? []
      : skillbook
          .skills()
          .filter(isLeftOut)
          .toSorted((a, b) => b.harmful - a.harmful);
  const all = new Set([
    ...nearest,
    ...skillsWithin(tagged, TAGGED_TOKENS),
    ...skillsWithin(harmful, HARMFUL_TOKENS),
  ]);
  return [...all].toSorted((a, b) => compareSkillIds(a.id, b.id));
}
