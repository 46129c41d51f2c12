import { describe, expect, test } from "vitest";
import {
  gainPoints,
  majorityClass,
  majorityScore,
  median,
  scoreAnswers,
} from "../../src/tour/accuracy.ts";

describe("scoring", () => {
  test("is exact on the name", () => {
    const expected = ["gates", "gates", "gates", "gates", "gates"];
    const answers = ["gates", "Gates", "gates ", "gates or apps", ""];
    expect(scoreAnswers(expected, answers)).toEqual({ correct: 1, total: 5, accuracy: 0.2 });
  });

  test("counts missing answers as wrong and an empty exam as 0", () => {
    expect(scoreAnswers(["a", "b"], ["a"])).toEqual({ correct: 1, total: 2, accuracy: 0.5 });
    expect(scoreAnswers([], [])).toEqual({ correct: 0, total: 0, accuracy: 0 });
  });
});

describe("the majority class", () => {
  test("is the most frequent label, the first in the alphabet when several are", () => {
    expect(majorityClass(["b", "a", "b"])).toBe("b");
    expect(majorityClass(["b", "a"])).toBe("a");
    expect(majorityClass([])).toBeUndefined();
  });

  test("is taken from what was learned, never from the exam", () => {
    expect(majorityScore(["b", "b", "a"], ["a", "a", "a", "b"]).accuracy).toBe(0.25);
    expect(majorityScore([], ["a"]).accuracy).toBe(0);
  });
});

test("gains are percentage points with one decimal", () => {
  const score = (correct: number, total: number): ReturnType<typeof scoreAnswers> => ({
    correct,
    total,
    accuracy: correct / total,
  });
  expect(gainPoints(score(2, 3), score(1, 3))).toBe(33.3);
  expect(gainPoints(score(0, 3), score(1, 3))).toBe(-33.3);
});

test("the median is the middle value", () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 2, 3])).toBe(2.5);
  expect(median([])).toBe(0);
});
