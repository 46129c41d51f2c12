import { expect, test } from "vitest";
import { bestOfEachConclusion, type LearnedSkill } from "../../src/tour/learned-skill.ts";

test("shows the best skill of each conclusion, not the best of one corner", () => {
  const skills = ["a1", "a2", "b1", "a3", "c1"].map(skill);
  expect(bestOfEachConclusion(skills, 2).map(({ id }) => id)).toEqual(["a1", "b1"]);
  expect(bestOfEachConclusion(skills, 9).map(({ id }) => id)).toEqual(["a1", "b1", "c1"]);
});

function skill(id: string): LearnedSkill {
  const content = `case ${id}\nAnswer: ${id.charAt(0)}`;
  return { id, content, evidence: "", helpful: 0, harmful: 0, neutral: 0 };
}
