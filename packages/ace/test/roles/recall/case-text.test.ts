import fc from "fast-check";
import { expect, test } from "vitest";
import { CASE_CHARS, caseText, splitCase } from "../../../src/roles/recall/case-text.ts";

const filler = (words: number): string => "lorem ipsum dolor ".repeat(words / 3).trim();

test("keeps a short question, spaces and invisible characters aside", () => {
  expect(caseText("  How\n many\u200B  apples? ")).toBe("How many apples?");
});

test("keeps the context on a line of its own, which splits off again", () => {
  const text = caseText("How many?", "There are\n\nthree.");
  expect(text).toBe("How many?\nContext: There are three.");
  expect(splitCase(text)).toEqual({ question: "How many?", context: "There are three." });
  expect(splitCase("How many?")).toEqual({ question: "How many?", context: "" });
});

test("a long text keeps what surrounds its focus", () => {
  const text = caseText(
    `What is "34.6" in: ${filler(300)} the company owned 34.6 % of the interest ${filler(300)}`,
  );
  expect(text.length).toBeLessThanOrEqual(CASE_CHARS);
  expect(text).toContain('What is "34.6" in:');
  expect(text).toContain("the company owned 34.6 % of the interest");
  expect(text).toMatch(/ … .* …$/);
  expect(text).not.toMatch(/(^|… )(?!lorem|ipsum|dolor|What)\w+ /);
});

test("a long text without a focus keeps its beginning and its end", () => {
  const text = caseText(`Start here. ${filler(600)} And where does it end?`);
  expect(text.length).toBeLessThanOrEqual(CASE_CHARS);
  expect(text).toMatch(/^Start here\. .* … .* And where does it end\?$/);
});

test("a long context leaves the question room, and keeps the focus of the question", () => {
  const context = `${filler(300)} at a rate of 7.25 % a year ${filler(300)}`;
  const { question, context: kept } = splitCase(caseText('What is "7.25"?', context));
  expect(question).toBe('What is "7.25"?');
  expect(kept).toContain("at a rate of 7.25 % a year");
});

test("property: a case is bounded, one line per part, well formed, and the same for the same task", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 3_000 }),
    fc.string({ unit: "grapheme", minLength: 800, maxLength: 2_000 }),
    fc.lorem({ maxCount: 300 }),
    fc.constantFrom("x".repeat(5_000), "𝒳".repeat(1_500), 'a "b" '.repeat(400)),
  );
  fc.assert(
    fc.property(text, text, (question, context) => {
      const made = caseText(question, context);
      expect(made.length).toBeLessThanOrEqual(CASE_CHARS + "\nContext: ".length);
      expect(made.split("\n").length).toBeLessThanOrEqual(2);
      expect(() => encodeURIComponent(made)).not.toThrow();
      expect(caseText(question, context)).toBe(made);
    }),
  );
});
