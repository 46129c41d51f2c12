import fc from "fast-check";
import { expect, test } from "vitest";
import { polarityOf } from "../../src/evaluation/polarity.ts";

const POSITIVE = [
  "Correct!",
  "That's right.",
  "yes",
  "Yes, exactly.",
  "That is the correct answer.",
  "not wrong",
  "no longer wrong",
  "Nothing wrong with that",
  "no mistakes, no problems",
  "This isn't incorrect",
  "I don't think that it is not right",
  "A bit long, but correct",
  "All tests passed",
  "0 tests failed",
  "Not only correct but elegant",
  "thanks, very helpful",
  "not bad",
  "I agree.",
  "👍",
  "+1",
  "PERFECT",
  "It works now.",
];
const NEGATIVE = [
  "wrong",
  "not correct",
  "NOT CORRECT.",
  "this isn’t right",
  "no longer right",
  "never correct",
  "No.",
  "No, that's the other account",
  "no this is the old limit",
  "incorrect: expected GrossProfit",
  "It should be GrossProfit.",
  "should have been 12",
  "Nice try, but wrong",
  "I don't think that this is right",
  "It doesn't work",
  "Tests failed with 3 errors",
  "that did not help",
  "not good",
  "useless",
  "❌",
  "-1",
  "Please correct the second line.",
  "The answer is incomplete",
];
const NEUTRAL = [
  "",
  "hmm",
  "Is this right?",
  "Are you sure it's correct?",
  "The correct answer is B.",
  "The right tag would be B",
  "correct answer: B",
  "I'm not sure",
  "right now I can't tell",
  "The first is right, the second is wrong",
  "The meeting is on Monday",
  "2 passed, 1 failed",
  "-12",
  "Das ist falsch",
];

test.each(POSITIVE)("positive: %s", (text) => {
  expect(polarityOf(text)).toBe("positive");
});
test.each(NEGATIVE)("negative: %s", (text) => {
  expect(polarityOf(text)).toBe("negative");
});
test.each(NEUTRAL)("neutral: %s", (text) => {
  expect(polarityOf(text)).toBe("neutral");
});

/** Points are read only when they are all there is. */
const WORDS = [...POSITIVE, ...NEGATIVE].filter((text) => !/^[+-]1$/.test(text));

test("property: any text has a polarity, and saying it twice doesn't change it", () => {
  fc.assert(
    fc.property(fc.constantFrom(...WORDS), fc.string(), (text, noise) => {
      expect(["positive", "negative", "neutral"]).toContain(polarityOf(noise));
      expect(polarityOf(`${text}\n${text}`)).toBe(polarityOf(text));
    }),
  );
});
