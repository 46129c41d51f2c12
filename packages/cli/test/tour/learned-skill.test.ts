import { expect, test } from "vitest";
import { bestOfEachTopic, type LearnedSkill } from "../../src/tour/learned-skill.ts";

test("shows the best skill of each topic, not the best of one topic", () => {
  const skills = ["a1", "a2", "b1", "a3", "c1"].map(skill);
  expect(bestOfEachTopic(skills, 2).map(({ id }) => id)).toEqual(["a1", "b1"]);
  expect(bestOfEachTopic(skills, 9).map(({ id }) => id)).toEqual(["a1", "b1", "c1"]);
});

function skill(id: string): LearnedSkill {
  const topic = id.charAt(0);
  return { id, topic, content: "", evidence: "", helpful: 0, harmful: 0, neutral: 0 };
}
