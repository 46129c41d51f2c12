import { expect, test } from "vitest";
import { answerWords, placesOfWords } from "../../src/evaluation/answer-words.ts";

test.each([
  ["The answer is: 4.", ["the", "answer", "is", "4"]],
  ["-4 or 4", ["-4", "or", "4"]],
  ["−4", ["-4"]],
  ["2018-12-31", ["2018", "12", "31"]],
  ["C, C++ and C#", ["c", "c++", "and", "c#"]],
  ["e-mail isn't email", ["email", "isnt", "email"]],
  ["1,000,000.50 shares", ["1000000.50", "shares"]],
  ["4.5", ["4.5"]],
  ["ＡＢ", ["ab"]],
  ["北京市", ["北京", "京市"]],
  ["…", []],
])("%j has the words %j", (text, expected) => {
  expect(answerWords(text)).toEqual(expected);
});

test("finds runs of whole words", () => {
  expect(placesOfWords(["a", "b", "a", "b"], ["a", "b"])).toEqual([0, 2]);
  expect(placesOfWords(["ab"], ["a"])).toEqual([]);
  expect(placesOfWords(["a"], [])).toEqual([]);
});
