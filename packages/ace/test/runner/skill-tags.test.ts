import { expect, test } from "vitest";
import { withSkillTags } from "../../src/runner/skill-tags.ts";
import { Skillbook } from "../../src/skillbook/skillbook.ts";
import { reflection } from "./test-roles.ts";

function book() {
  const skillbook = new Skillbook();
  skillbook.apply([
    { type: "ADD", section: "x", content: "One." },
    { type: "ADD", section: "x", content: "Two." },
    { type: "ADD", section: "x", content: "Gone." },
    { type: "REMOVE", skillId: "x-00003" },
  ]);
  return skillbook;
}
const helpful = (...ids: string[]) =>
  reflection({ skillTags: ids.map((id) => ({ id, tag: "helpful" as const })) });

const tagsAfter = (
  operations: Parameters<typeof withSkillTags>[0],
  ...reflections: ReturnType<typeof helpful>[]
) => {
  const skillbook = book();
  skillbook.apply(withSkillTags(operations, reflections, skillbook));
  const { helpful: up, harmful: down } = skillbook.stats().tags;
  return { up, down };
};

test("tags become operations although the skill manager proposes none", () => {
  expect(tagsAfter([], helpful("x-00001", "x-00002"))).toEqual({ up: 2, down: 0 });
});

test("unknown and removed skills are left out", () => {
  expect(withSkillTags([], [helpful("x-00003", "x-00009")], book())).toEqual([]);
});

test.each([
  ["our TAG", [{ type: "TAG", skillId: "x-00001", tag: "helpful" }]],
  ["the original's TAG", [{ type: "tag", skill_id: "x-00001", metadata: { helpful: 3 } }]],
  [
    "the same TAG twice",
    [
      { type: "TAG", skillId: "x-00001", tag: "helpful" },
      { type: "TAG", skill_id: "x-00001", tag: "Helpful" },
    ],
  ],
])("a tag that the skill manager proposes too counts once: %s", (_name, operations) => {
  expect(tagsAfter(operations, helpful("x-00001"))).toEqual({ up: 1, down: 0 });
});

test("the same tag from two reflections counts once, a different tag counts too", () => {
  const harmful = reflection({ skillTags: [{ id: "x-00001", tag: "harmful" }] });
  expect(tagsAfter([], helpful("x-00001"), helpful("x-00001"), harmful)).toEqual({
    up: 1,
    down: 1,
  });
});

test("of a TAG with several counters only the one that was counted already is dropped", () => {
  const operations = [
    { type: "TAG", skillId: "x-00001", tag: "helpful" },
    { type: "TAG", skill_id: "x-00001", metadata: { helpful: 1, harmful: 1 } },
  ];
  expect(tagsAfter(operations)).toEqual({ up: 1, down: 1 });
});

test("a skill that the update removes is still tagged", () => {
  const skillbook = book();
  const operations = [{ type: "REMOVE", skillId: "x-00001" }] as const;
  skillbook.apply(withSkillTags(operations, [helpful("x-00001")], skillbook));
  expect(skillbook.get("x-00001")).toMatchObject({ helpful: 1, status: "invalid" });
});
