import { describe, expect, test } from "vitest";
import { failuresOf, type TourResult } from "../../src/tour/tour-result.ts";
import { exampleResult } from "./example-result.ts";

describe("the tour's checks", () => {
  test("pass for a good result", () => {
    expect(failuresOf(exampleResult())).toEqual([]);
  });

  const changes: [
    string,
    Partial<TourResult["learning"]>,
    Partial<TourResult["restart"]>,
    string,
  ][] = [
    ["too little gain", { majority: score(55) }, {}, "majority class is 24.7 points"],
    ["a control that learns", { shuffled: score(60) }, {}, "shuffled labels come within"],
    [
      "a failed sample",
      { lessons: { ...exampleResult().learning.lessons, failed: 1 } },
      {},
      "1 samples could not be learned",
    ],
    ["nothing saved", { savedSkills: 0 }, { loadedSkills: 0, keptSkills: 0 }, "no skill"],
    ["a skill that was not loaded", {}, { loadedSkills: 189 }, "189 loaded"],
    ["a skill that changed", {}, { keptSkills: 189 }, "189 unchanged"],
    ["an answer that changed", {}, { identicalAnswers: 1 }, "1 of 2 answers differ"],
  ];
  test.each(changes)("fail for %s", (_case, learning, restart, text) => {
    const good = exampleResult();
    const failures = failuresOf({
      ...good,
      learning: { ...good.learning, ...learning },
      restart: { ...good.restart, ...restart },
    });
    expect(failures).toHaveLength(1);
    expect(failures[0]).toContain(text);
  });
});

test("fail for what went wrong in the second act", () => {
  const good = exampleResult();
  const practice = { ...good.practice, changedFiles: [] };
  expect(failuresOf({ ...good, practice })).toEqual([
    "the session changed no file, not prices.mjs alone",
  ]);
});

function score(correct: number): TourResult["learning"]["after"] {
  return { correct, total: 100, accuracy: correct / 100 };
}
