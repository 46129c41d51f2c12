import { expect, test } from "vitest";
import { RecallReflector } from "../../../src/roles/recall/recall-reflector.ts";
import type { ReflectorInput } from "../../../src/roles/reflector.ts";
import { Skillbook } from "../../../src/skillbook/skillbook.ts";
import { makeSkill } from "../../skillbook/make-skill.ts";

const A1 = makeSkill(1, "One.\nAnswer: A");
const A2 = makeSkill(2, "Two.\nAnswer: A");
const B3 = makeSkill(3, "Three.\nAnswer: B");
const ADVICE = makeSkill(4, "Look twice.");

function reflect(fields: Partial<ReflectorInput>) {
  return new RecallReflector().reflect({
    question: "Which?",
    context: "",
    answer: "A",
    citedSkills: [A1, A2, B3, ADVICE],
    skillbook: new Skillbook(),
    ...fields,
  });
}

const evaluation = (correct: boolean) => ({ correct, feedback: "", metrics: {} });

const tags = (output: Awaited<ReturnType<typeof reflect>>): string[] | undefined =>
  output?.skillTags.map(({ id, tag }) => `${id.slice(-1)} ${tag}`);

test("right: those who said so are helpful, the others neutral, advice is not judged", async () => {
  const output = await reflect({ groundTruth: "A", evaluation: evaluation(true) });
  expect(tags(output)).toEqual(["1 helpful", "2 helpful", "3 neutral"]);
  expect(output?.extractedLearnings.map(({ learning }) => learning)).toEqual(["Which?\nAnswer: A"]);
  expect(output?.errorIdentification).toBe("");
});

test("wrong with a truth: only the most similar of those who misled is harmful", async () => {
  const output = await reflect({ groundTruth: "B", evaluation: evaluation(false) });
  expect(tags(output)).toEqual(["1 harmful", "2 neutral", "3 helpful"]);
  expect(output?.extractedLearnings.map(({ learning }) => learning)).toEqual(["Which?\nAnswer: B"]);
  expect(output?.errorIdentification).toBe("Answered: A");
});

test("wrong without a truth: all who misled are harmful, and nothing is asserted", async () => {
  for (const fields of [{ feedback: "wrong" }, { evaluation: evaluation(false), feedback: "no" }]) {
    const output = await reflect(fields);
    expect(tags(output)).toEqual(["1 harmful", "2 harmful", "3 neutral"]);
    expect(output?.extractedLearnings).toEqual([]);
  }
});

test("praise without a truth makes the answer given the truth", async () => {
  const output = await reflect({ feedback: "Correct", context: "here" });
  expect(tags(output)).toEqual(["1 helpful", "2 helpful", "3 neutral"]);
  expect(output?.extractedLearnings[0]?.learning).toBe("Which?\nContext: here\nAnswer: A");
});

test("a correction counts as the truth, whatever the environment made of the words", async () => {
  const output = await reflect({ feedback: 'No, should be "B".', evaluation: evaluation(false) });
  expect(output?.extractedLearnings[0]?.learning).toBe("Which?\nAnswer: B");
  expect(tags(output)).toEqual(["1 harmful", "2 neutral", "3 helpful"]);
});

test("without an evaluation the truth is compared here", async () => {
  expect(tags(await reflect({ groundTruth: "a" }))).toEqual([
    "1 helpful",
    "2 helpful",
    "3 neutral",
  ]);
  expect(tags(await reflect({ groundTruth: "B" }))).toEqual([
    "1 harmful",
    "2 neutral",
    "3 helpful",
  ]);
});

test.each<Partial<ReflectorInput>>([
  {},
  { feedback: "hmm" },
  { feedback: "Is this right?" },
  { groundTruth: " " },
  { question: " ", groundTruth: "A" },
  { feedback: "wrong", citedSkills: [] },
  { answer: "I have not learned this yet.", feedback: "Correct", citedSkills: [] },
  { groundTruth: "x".repeat(2_000), citedSkills: [] },
])("teaches nothing: %j", async (fields) => {
  expect(await reflect(fields)).toBeUndefined();
});

test("stops when the signal is aborted", async () => {
  await expect(reflect({ groundTruth: "A", signal: AbortSignal.abort() })).rejects.toThrow();
});
