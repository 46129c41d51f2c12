import fc from "fast-check";
import { expect, test } from "vitest";
import { wrap } from "../../src/terminal/wrap.ts";

test("breaks between words", () => {
  expect(wrap("one two three four", 12, "  ")).toEqual(["  one two", "  three four"]);
  expect(wrap("", 12)).toEqual([]);
});

test("breaks a word that is longer than a line", () => {
  expect(wrap("abcdefghijklmno", 10)).toEqual(["abcdefghij", "klmno"]);
});

test("keeps every word and every line within the width", () => {
  const text = fc.array(fc.stringMatching(/^[a-z]{1,15}$/)).map((words) => words.join(" "));
  fc.assert(
    fc.property(text, fc.integer({ min: 20, max: 60 }), (line, width) => {
      const lines = wrap(line, width, "  ");
      expect(lines.map((one) => one.trim()).join(" ")).toBe(line);
      for (const one of lines) expect(one.length).toBeLessThanOrEqual(width);
    }),
  );
});
