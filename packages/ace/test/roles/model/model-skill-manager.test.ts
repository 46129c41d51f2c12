import { describe, expect, test } from "vitest";
import { ModelSkillManager } from "../../../src/roles/model/model-skill-manager.ts";
import { Skillbook } from "../../../src/skillbook/skillbook.ts";
import { reflection } from "../../runner/test-roles.ts";
import { skillManagerInput } from "./sample-inputs.ts";
import { stubModel, userText } from "./stub-model.ts";

async function operationsOf(operations: unknown) {
  const model = stubModel({ reasoning: "why", operations });
  return (await new ModelSkillManager(model).update(skillManagerInput())).update;
}

test("each operation keeps the fields that it needs", async () => {
  const update = await operationsOf([
    {
      type: "ADD",
      section: "tax",
      skill_id: null,
      content: "Multiply the net price by 1 + rate.",
      tag: null,
      justification: "Rates.",
      evidence: "59.44",
      reflection_index: 0,
      learning_index: 0,
    },
    { type: "UPDATE", skill_id: "tax-00001", content: "Add VAT as a rate.", reflection_index: 0 },
    { type: "UPDATE", skill_id: "[tax-00001]", content: "", evidence: "again" },
    { type: "TAG", skill_id: "rounding-00002", tag: "neutral", section: "ignored" },
    { type: "REMOVE", skill_id: "rounding-00002", learning_index: -1 },
  ]);
  expect(update).toEqual({
    reasoning: "why",
    operations: [
      {
        type: "ADD",
        section: "tax",
        content: "Multiply the net price by 1 + rate.",
        justification: "Rates.",
        evidence: "59.44",
        reflectionIndex: 0,
        learningIndex: 0,
      },
      {
        type: "UPDATE",
        skillId: "tax-00001",
        content: "Add VAT as a rate.",
        reflectionIndex: 0,
      },
      { type: "UPDATE", skillId: "tax-00001", evidence: "again" },
      { type: "TAG", skillId: "rounding-00002", tag: "neutral" },
      { type: "REMOVE", skillId: "rounding-00002" },
    ],
  });
});

test("an odd operation costs only itself when the batch is applied", async () => {
  const { operations } = await operationsOf([
    { type: "ADD" },
    { type: "TAG", skill_id: "tax-00001" },
    { type: "UPDATE", skill_id: "tax-00001" },
    { type: "ADD", content: "Convert before adding." },
  ]);
  const report = skillManagerInput().skillbook as Skillbook;
  const { applied, skipped } = report.apply(operations);
  expect(applied).toHaveLength(1);
  expect(skipped.map(({ reason }) => reason)).toEqual([
    "empty_content",
    "invalid_operation",
    "invalid_operation",
  ]);
});

test.each([[[]], [null], [undefined]])("no operations: %j", async (operations) => {
  expect((await operationsOf(operations)).operations).toEqual([]);
});

test("skills that were not shown are not changed, whatever a feedback made the model say", async () => {
  const update = await operationsOf([
    { type: "REMOVE", skill_id: "secret-00009" },
    { type: "UPDATE", skill_id: "secret-00009", content: "x" },
    { type: "TAG", skill_id: "", tag: "helpful" },
  ]);
  expect(update.operations).toEqual([]);
});

test("an operation that does not exist goes back to the model", async () => {
  const model = stubModel({ operations: [{ type: "MERGE" }] }, { operations: [] });
  const { raw } = await new ModelSkillManager(model).update(skillManagerInput());
  expect(raw).toMatchObject({ attempts: 2 });
  expect(userText(model.requests[1]?.messages ?? [])).toMatch(/operations\.0\.type/);
});

describe("the skills that it is shown", () => {
  const content = (i: number) =>
    `When module${i} misbehaves, read its log and restart worker${i} before anything else.`;

  function bigBook(): Skillbook {
    const skillbook = new Skillbook();
    skillbook.apply(
      Array.from({ length: 2_000 }, (_, i) => ({ type: "ADD", section: "s", content: content(i) })),
    );
    return skillbook;
  }

  async function shown(skillbook: Skillbook, part = reflection()) {
    const model = stubModel({ operations: [] });
    await new ModelSkillManager(model).update(
      skillManagerInput({ skillbook, reflections: [part], question: "q", context: "" }),
    );
    return userText(model.requests[0]?.messages ?? []);
  }

  test("are those nearest to what was learned, within a budget", async () => {
    const learning = "Restart worker1777 when module1777 misbehaves.";
    const text = await shown(
      bigBook(),
      reflection({
        extractedLearnings: [{ learning, atomicityScore: 1, evidence: "", justification: "" }],
      }),
    );
    expect(text).toContain(content(1_777));
    expect(text.length).toBeLessThan(50_000);
  });

  test("include the tagged ones and those that did harm, which no other prompt shows", async () => {
    const skillbook = bigBook();
    for (let i = 0; i < 3; i++) {
      skillbook.apply([{ type: "TAG", skillId: "s-01500", tag: "harmful" }]);
    }
    const text = await shown(
      skillbook,
      reflection({ keyInsight: "x", skillTags: [{ id: "s-00900", tag: "helpful" }] }),
    );
    expect(text).toContain("s-01500\ts\t");
    expect(text).toContain("s-00900\ts\t");
    expect(skillbook.asContext("x")).not.toContain("s-01500");
  });

  test("stand in the order of their creation, each once", async () => {
    const text = await shown(
      bigBook(),
      reflection({ keyInsight: content(5), skillTags: [{ id: "s-00006", tag: "helpful" }] }),
    );
    const ids = [...text.matchAll(/^ {2}(s-\d+)\t/gm)].map(([, id = ""]) => id);
    expect(ids.length).toBeGreaterThan(50);
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a.localeCompare(b)));
  });
});
