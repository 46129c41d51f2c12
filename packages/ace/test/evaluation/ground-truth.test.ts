import { expect, test } from "vitest";
import { compareWithTruth, GroundTruthEnvironment } from "../../src/evaluation/ground-truth.ts";

const output = (finalAnswer: string) => ({ reasoning: "", finalAnswer, skillIds: [] });

test.each([
  ["4", "14", 0],
  ["14", "4", 0],
  ["The answer is 4", "4", 1],
  ["$ 1,999.99", "2000", 1],
  ["0.68", "0.69", 1],
  ["0.67", "0.69", 0],
  ["12 %", "12", 1],
  ["GrossProfit", "grossprofit", 1],
  ["1,2,3", "123", 0],
  ["x > 5", "x < 5", 0],
  ["It is > 5", "5", 0],
])("the default comparison of %j with %j gives %d", (answer, truth, score) => {
  expect(compareWithTruth(answer, truth)).toBe(score);
});

test("judges by the truth and says what was expected", () => {
  const environment = new GroundTruthEnvironment();
  const sample = { question: "?", groundTruth: "GrossProfit" };
  expect(environment.evaluate(sample, output("GrossProfit"))).toEqual({
    correct: true,
    score: 1,
    feedback: "The answer agrees with the ground truth.",
    metrics: { correct: 1, score: 1 },
  });
  expect(environment.evaluate(sample, output("Revenues"))).toEqual({
    correct: false,
    score: 0,
    feedback: "The answer does not agree with the ground truth. Expected: GrossProfit",
    metrics: { correct: 0, score: 0 },
  });
});

test("an answer that names another known answer too is wrong", () => {
  const environment = new GroundTruthEnvironment();
  const knownAnswers = new Set(["billing", "shipping"]);
  const sample = { question: "?", groundTruth: "billing" };
  const judge = (answer: string) =>
    environment.evaluate(sample, output(answer), { knownAnswers }).correct;
  expect(judge("billing, I think")).toBe(true);
  expect(judge("billing and shipping")).toBe(false);
});

test.each([undefined, null, "", "  "])("gives no verdict without a truth (%j)", (groundTruth) => {
  const sample = { question: "?", ...(groundTruth !== undefined && { groundTruth }) };
  const evaluation = new GroundTruthEnvironment().evaluate(sample, output("x"));
  expect(evaluation).toEqual({ feedback: expect.stringContaining("not judged"), metrics: {} });
});

test("takes a scorer by name or as a function; a share is a score but not right", () => {
  const sample = { question: "?", groundTruth: "a, b" };
  const list = new GroundTruthEnvironment({ scorer: "list" });
  expect(list.evaluate(sample, output("a, c"))).toMatchObject({ correct: false, score: 0.5 });
  const always = new GroundTruthEnvironment({ scorer: () => 1 });
  expect(always.evaluate(sample, output("?")).correct).toBe(true);
  const tolerant = new GroundTruthEnvironment({ scorer: "numeric", tolerance: 10 });
  expect(tolerant.evaluate({ question: "?", groundTruth: "100" }, output("109")).correct).toBe(
    true,
  );
});

test("refuses a scorer that doesn't exist and a negative tolerance", () => {
  const named = "toString" as "exact";
  expect(() => new GroundTruthEnvironment({ scorer: named })).toThrow(
    'There is no scorer "toString". Known scorers: exact, contains, numeric, list.',
  );
  expect(() => new GroundTruthEnvironment({ tolerance: -1 })).toThrow(
    "tolerance must be 0 or more",
  );
});

test("feedback repeats only the beginning of a long truth", () => {
  const sample = { question: "?", groundTruth: "long ".repeat(1_000) };
  const { feedback } = new GroundTruthEnvironment().evaluate(sample, output("x"));
  expect(feedback.length).toBeLessThan(400);
});
