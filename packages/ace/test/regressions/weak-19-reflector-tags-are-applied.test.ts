import { expect, test } from "vitest";
import { ModelAgent } from "../../src/roles/model/model-agent.ts";
import { ModelSkillManager } from "../../src/roles/model/model-skill-manager.ts";
import { Ace } from "../../src/runner/ace.ts";
import { Skillbook } from "../../src/skillbook/skillbook.ts";
import { agentInput, sampleBook, skillManagerInput } from "../roles/model/sample-inputs.ts";
import { stubModel, systemText, userText } from "../roles/model/stub-model.ts";
import { questions, reflection, testRoles } from "../runner/test-roles.ts";

const EXISTING = ["ADD", "UPDATE", "TAG", "REMOVE"];

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

test("weak point 19: the skill manager's prompt and schema name the operations that exist, and no others", async () => {
  const model = stubModel({ operations: [] });
  await new ModelSkillManager(model).update(skillManagerInput());
  const { messages = [], responseFormat } = model.requests[0] ?? {};
  const capitals = new Set(systemText(messages).match(/\b[A-Z]{3,}\b/g));
  capitals.delete("JSON");
  expect([...capitals].toSorted()).toEqual([...EXISTING].toSorted());
  expect(JSON.stringify(responseFormat?.schema)).toContain(
    `"type":{"type":"string","enum":${JSON.stringify(EXISTING)}}`,
  );
  const book = sampleBook();
  const report = book.apply([
    { type: "ADD", content: "Convert before adding." },
    { type: "UPDATE", skillId: "tax-00001", content: "Add VAT as a rate." },
    { type: "TAG", skillId: "tax-00001", tag: "neutral" },
    { type: "REMOVE", skillId: "tax-00001" },
  ]);
  expect(report.applied.map(({ type }) => type)).toEqual(EXISTING);
});

test("weak point 19: the agent sees how often each skill helped and did harm", async () => {
  const model = stubModel({ reasoning: "r", final_answer: "a" });
  await new ModelAgent(model).answer(agentInput());
  expect(userText(model.requests[0]?.messages ?? [])).toMatch(
    /\{id\tsection\tcontent\thelpful\tharmful\}:\n {2}tax-00001\ttax\t.*\t2\t0$/m,
  );
});
