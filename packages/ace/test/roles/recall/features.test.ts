import fc from "fast-check";
import { expect, test } from "vitest";
import { caseText } from "../../../src/roles/recall/case-text.ts";
import { caseFeatures } from "../../../src/roles/recall/features.ts";

/** Plain cosine of two texts' features. */
function likeness(a: string, b: string): number {
  const [left, right] = [featureMap(a), featureMap(b)];
  let dot = 0;
  for (const [key, weight] of left) dot += weight * (right.get(key) ?? 0);
  return dot / (norm(left) * norm(right) || 1);
}

function featureMap(text: string): Map<number, number> {
  const { keys, weights } = caseFeatures(text);
  return new Map([...keys].map((key, i) => [key, weights[i] ?? 0]));
}

function norm(features: Map<number, number>): number {
  return Math.sqrt([...features.values()].reduce((sum, weight) => sum + weight * weight, 0));
}

test("the place of the focus tells questions about one sentence apart", () => {
  const sentence =
    '"The notes bear interest at 5.5 % and mature after 12 years; fees were $ 3.2 million"';
  const rate = `What is "5.5" in ${sentence}`;
  const other = 'What is "7.25" in "Its loans bear interest at 7.25 % per year"';
  expect(likeness(rate, other)).toBeGreaterThan(likeness(`What is "12" in ${sentence}`, other));
  expect(likeness(rate, other)).toBeGreaterThan(likeness(`What is "3.2" in ${sentence}`, other));
});

test("left and right of the focus are different places", () => {
  const left = 'What is "5" in: profit 5 of loss';
  const right = 'What is "5" in: loss 5 of profit';
  expect(likeness(left, right)).toBeLessThan(0.9);
  expect(likeness(left, left)).toBeCloseTo(1, 10);
});

test("a plain question is its words; function words are none, numbers are these very numbers", () => {
  expect(likeness("Is it the one?", "What would that be?")).toBe(0);
  expect(likeness("How do I reset my password?", "Resetting the passwords")).toBeGreaterThan(0.9);
  expect(likeness("error 404", "error 500")).toBeLessThan(likeness("error 404", "Error 404!"));
});

test("works beyond English", () => {
  expect(likeness("パスワードを忘れました", "パスワードを忘れた")).toBeGreaterThan(0.5);
  expect(likeness("забыл пароль", "пароль забыл")).toBeGreaterThan(0.5);
});

test("property: any text has features, the same each time, each once and with a weight", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 400 }), fc.string(), (question, context) => {
      const text = caseText(question, context);
      const { keys, weights } = caseFeatures(text);
      expect(new Set(keys).size).toBe(keys.length);
      expect(weights).toHaveLength(keys.length);
      expect(weights.every((weight) => weight > 0)).toBe(true);
      expect(caseFeatures(text)).toEqual({ keys, weights });
    }),
  );
});
