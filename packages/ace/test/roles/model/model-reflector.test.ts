import { expect, test } from "vitest";
import { ModelReflector } from "../../../src/roles/model/model-reflector.ts";
import { makeSkill } from "../../skillbook/make-skill.ts";
import { reflectorInput } from "./sample-inputs.ts";
import { stubModel, userText } from "./stub-model.ts";

const REFLECTION = {
  reasoning: "Case 2.",
  error_identification: "Step 1.",
  root_cause_analysis: "Rate as amount.",
  correct_approach: "Multiply.",
  key_insight: "VAT is a rate.",
  extracted_learnings: [
    { learning: "Multiply.", atomicity_score: 0.9, evidence: "59.44", justification: "Rates." },
  ],
  skill_tags: [{ id: "tax-00001", tag: "harmful" }],
};

test("turns the model's fields into the role's", async () => {
  const output = await new ModelReflector(stubModel(REFLECTION)).reflect(reflectorInput());
  expect(output).toMatchObject({
    reasoning: "Case 2.",
    errorIdentification: "Step 1.",
    rootCauseAnalysis: "Rate as amount.",
    correctApproach: "Multiply.",
    keyInsight: "VAT is a rate.",
    extractedLearnings: [
      { learning: "Multiply.", atomicityScore: 0.9, evidence: "59.44", justification: "Rates." },
    ],
    skillTags: [{ id: "tax-00001", tag: "harmful" }],
    raw: { attempts: 1 },
  });
});

test("what the model leaves out or sets to null is empty", async () => {
  const model = stubModel({
    reasoning: "Case 1.",
    error_identification: null,
    correct_approach: "As done.",
    key_insight: "It works.",
    extracted_learnings: [{ learning: "Do it.", atomicity_score: null }],
    skill_tags: null,
  });
  expect(await new ModelReflector(model).reflect(reflectorInput())).toMatchObject({
    errorIdentification: "",
    rootCauseAnalysis: "",
    extractedLearnings: [
      { learning: "Do it.", atomicityScore: 0, evidence: "", justification: "" },
    ],
    skillTags: [],
  });
});

test("only cited skills are tagged, each once, by the first tag", async () => {
  const skill_tags = [
    { id: "tax-00001", tag: "helpful" },
    { id: "tax-00001", tag: "harmful" },
    { id: "rounding-00002", tag: "helpful" },
    { id: "invented-00001", tag: "helpful" },
  ];
  const model = stubModel({ ...REFLECTION, skill_tags });
  const output = await new ModelReflector(model).reflect(reflectorInput());
  expect(output.skillTags).toEqual([{ id: "tax-00001", tag: "helpful" }]);
});

test("a tag reaches its skill when the model copies the brackets around its id", async () => {
  const skill_tags = [{ id: " [tax-00001] ", tag: "harmful" }];
  const model = stubModel({ ...REFLECTION, skill_tags });
  const output = await new ModelReflector(model).reflect(reflectorInput());
  expect(output.skillTags).toEqual([{ id: "tax-00001", tag: "harmful" }]);
});

test.each([
  [95, 1],
  [-1, 0],
])("an atomicity score of %f counts as %f", async (score, expected) => {
  const model = stubModel({
    ...REFLECTION,
    extracted_learnings: [{ learning: "x", atomicity_score: score }],
  });
  const { extractedLearnings } = await new ModelReflector(model).reflect(reflectorInput());
  expect(extractedLearnings[0]?.atomicityScore).toBe(expected);
});

test("without a citation it says so instead of a skill block, and nothing can be tagged", async () => {
  const model = stubModel(REFLECTION);
  const output = await new ModelReflector(model).reflect(reflectorInput({ citedSkills: [] }));
  expect(output.skillTags).toEqual([]);
  const text = userText(model.requests[0]?.messages ?? []);
  expect(text).toContain("No skill was cited");
  expect(text).not.toContain("<skillbook>");
});

test("what is not known has no block", async () => {
  const model = stubModel(REFLECTION);
  const { question, answer, skillbook } = reflectorInput();
  await new ModelReflector(model).reflect({
    question,
    answer,
    context: "",
    citedSkills: [],
    skillbook,
  });
  const names = userText(model.requests[0]?.messages ?? []).matchAll(/<given name="(\w+)"/g);
  expect([...names].map(([, name]) => name)).toEqual(["question", "answer"]);
});

test("an evaluation that only repeats the feedback is shown without it", async () => {
  const model = stubModel(REFLECTION);
  const evaluation = { correct: false, feedback: "VAT is a rate.", metrics: {} };
  await new ModelReflector(model).reflect(reflectorInput({ evaluation }));
  const text = userText(model.requests[0]?.messages ?? []);
  expect(text).toContain('origin="environment">\noutcome: wrong\n</given>');
});

test("very many cited skills stay within a budget", async () => {
  const citedSkills = Array.from({ length: 500 }, (_, i) => makeSkill(i, "x y ".repeat(200)));
  const model = stubModel(REFLECTION);
  await new ModelReflector(model).reflect(reflectorInput({ citedSkills }));
  expect(userText(model.requests[0]?.messages ?? []).length).toBeLessThan(20_000);
});

test("a reflection without its key insight goes back; one that never comes right is an error", async () => {
  const wrong = { ...REFLECTION, key_insight: "" };
  const model = stubModel(wrong, REFLECTION);
  expect((await new ModelReflector(model).reflect(reflectorInput())).keyInsight).not.toBe("");
  await expect(
    new ModelReflector(stubModel(wrong)).reflect(reflectorInput()),
  ).rejects.toMatchObject({
    details: { kind: "invalid_output" },
  });
});
