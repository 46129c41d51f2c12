import { expect, test } from "vitest";
import { GroundTruthEnvironment } from "../../src/evaluation/ground-truth.ts";

function isRight(answer: string, groundTruth: string, known: string[] = []): boolean | undefined {
  const output = { reasoning: "", finalAnswer: answer, skillIds: [] };
  const options = { knownAnswers: new Set(known) };
  return new GroundTruthEnvironment().evaluate({ question: "?", groundTruth }, output, options)
    .correct;
}

test("weak point 26: grading compares whole words and numbers, not substrings", () => {
  expect(isRight("14", "4")).toBe(false);
  expect(isRight("It is 14 days", "4")).toBe(false);
  expect(isRight("A or B", "A", ["A", "B"])).toBe(false);
  expect(isRight("unhappy", "happy")).toBe(false);
});

test("weak point 26: grading normalises, tolerates rounding, and takes a scorer by name", () => {
  expect(isRight("  GROSS profit. ", "Gross Profit")).toBe(true);
  expect(isRight("$1,234.5", "1234.50")).toBe(true);
  expect(isRight("0.333", "0.33")).toBe(true);
  const exact = new GroundTruthEnvironment({ scorer: "exact" });
  const output = { reasoning: "", finalAnswer: "gross profit", skillIds: [] };
  expect(exact.evaluate({ question: "?", groundTruth: "Gross Profit" }, output).correct).toBe(
    false,
  );
});
