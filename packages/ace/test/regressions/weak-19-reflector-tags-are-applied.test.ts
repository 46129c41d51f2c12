import { expect, test } from "vitest";
import { Ace } from "../../src/runner/ace.ts";
import { Skillbook } from "../../src/skillbook/skillbook.ts";
import { questions, reflection, testRoles } from "../runner/test-roles.ts";

test.each([
  ["the skill manager proposes none", []],
  [
    "the skill manager proposes the same",
    [{ type: "TAG", skill_id: "x-00001", metadata: { helpful: 1 } }],
  ],
])("weak point 19: a reflector's tag is counted once when %s", async (_name, operations) => {
  const skillbook = new Skillbook();
  skillbook.apply([{ type: "ADD", section: "x", content: "Known." }]);
  const roles = testRoles({
    reflect: () => reflection({ skillTags: [{ id: "x-00001", tag: "helpful" }] }),
    update: () => operations,
  });
  const report = await Ace.fromRoles(roles, { skillbook }).learn(questions("q"));
  expect(skillbook.get("x-00001")).toMatchObject({ helpful: 1, harmful: 0, neutral: 0 });
  expect(report.results[0]?.applied?.applied).toMatchObject([{ type: "TAG", skillId: "x-00001" }]);
});
