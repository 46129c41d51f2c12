import { expect, test } from "vitest";
import { correctionIn } from "../../../src/roles/recall/correction.ts";
import { bookOf } from "./book-view.ts";

const BOOK = bookOf(["Where to?", "billing"]);

test.each([
  ["Wrong, it should be GrossProfit.", "GrossProfit"],
  ["should be `git push --force`", "git push --force"],
  ['It should have been "the blue one", not that.', "the blue one"],
  ["The correct answer is Paris.", "Paris"],
  ["The right tag is GrossProfit, not Revenues.", "GrossProfit"],
  ["correct answer: 12.5", "12.5"],
  ["expected: the blue one", "the blue one"],
  ["No. It must be billing", "billing"],
  ["Should be 42. The correct answer is 42.", "42"],
])("%j names %j", (feedback, expected) => {
  expect(correctionIn(feedback, BOOK)).toBe(expected);
});

test.each([
  "Wrong.",
  "It should be shorter",
  "It should be more precise next time",
  "should be A1 or should be B2",
  "The correct answer is A1. The right answer is B2.",
  "",
])("%j names none", (feedback) => {
  expect(correctionIn(feedback, BOOK)).toBeUndefined();
});
