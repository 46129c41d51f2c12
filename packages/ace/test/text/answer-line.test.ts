import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { answerOf, withAnswer, withoutAnswer } from "../../src/text/answer-line.ts";

describe("answerOf", () => {
  it.each([
    ["Refund after 30 days\nAnswer: billing", "billing"],
    ["Answer: one\nAnswer: two", "two"],
    ["Q\nAnswer: line 1\nline 2", "line 1\nline 2"],
    ["Q\nAnswer:", ""],
    ["no such line", undefined],
    ["The Answer: is inside", undefined],
    ["Answer:tight", undefined],
  ])("reads %j as %j", (content, answer) => {
    expect(answerOf(content)).toBe(answer);
  });
});

describe("withAnswer", () => {
  it("adds the line that answerOf reads", () => {
    expect(withAnswer("Refund after 30 days ", " billing")).toBe(
      "Refund after 30 days\nAnswer: billing",
    );
    expect(withAnswer("", "x")).toBe("Answer: x");
  });

  it("gives back any answer on one line, whatever the text", () => {
    const line = fc.string().map((text) => text.replaceAll(/\s+/g, " "));
    fc.assert(
      fc.property(fc.string(), line, (text, answer) => {
        expect(answerOf(withAnswer(text, answer))).toBe(answer.trim());
      }),
    );
  });

  it("keeps an answer whole whose second line imitates an answer line", () => {
    expect(answerOf(withAnswer("Q", "a\nAnswer: b"))).toBe("a\n Answer: b");
  });
});

describe("withoutAnswer", () => {
  it("leaves the text before the last answer line", () => {
    expect(withoutAnswer("Q\nAnswer: x")).toBe("Q");
    expect(withoutAnswer("Q")).toBe("Q");
  });
});
