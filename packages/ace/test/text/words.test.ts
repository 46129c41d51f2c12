import { describe, expect, it } from "vitest";

import { searchTerms, words } from "../../src/text/words.ts";

describe("words", () => {
  it.each([
    ["The quick, brown fox!", ["the", "quick", "brown", "fox"]],
    ["Don't / don’t", ["dont", "dont"]],
    ["1,000.50 and 1.5 or 15", ["1000.50", "and", "1.5", "or", "15"]],
    ["3rd snake_case Ünïcode", ["3rd", "snake_case", "ünïcode"]],
    ["ﬁle ＡＢＣ", ["file", "abc"]],
    ["日本語の abc設定", ["日本", "本語", "語の", "abc", "設定"]],
    ["愛", ["愛"]],
    ["  ...  ", []],
  ])("splits %j", (text, expected) => {
    expect(words(text)).toEqual(expected);
  });
});

describe("searchTerms", () => {
  it("adds the parts of identifiers", () => {
    expect(searchTerms("set maxRetries or max_retries")).toEqual([
      "set",
      "maxretries",
      "max",
      "retries",
      "or",
      "max_retries",
      "max",
      "retries",
    ]);
  });
});
