import fc from "fast-check";
import { expect, test } from "vitest";
import { largestOverlap, wordOverlap } from "../../src/tour/word-overlap.ts";

test("counts shared distinct words over the distinct words of the shorter text", () => {
  expect(wordOverlap("the gate is red", "The gate, the GATE is open today")).toBe(3 / 4);
  expect(wordOverlap("a b", "c d")).toBe(0);
  expect(wordOverlap("a b", "b a c d e f")).toBe(1);
  expect(wordOverlap("", "a")).toBe(0);
  expect(wordOverlap("Türe zu", "türe auf")).toBe(0.5);
});

test("is symmetric, within 0 and 1, and 1 for a text with itself", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", "d", "e")).map((words) => words.join(" "));
  fc.assert(
    fc.property(text, text, (a, b) => {
      const overlap = wordOverlap(a, b);
      expect(overlap).toBe(wordOverlap(b, a));
      expect(overlap).toBeGreaterThanOrEqual(0);
      expect(overlap).toBeLessThanOrEqual(1);
      if (a !== "") expect(wordOverlap(a, a)).toBe(1);
    }),
  );
});

test("finds the closest pair between two sets", () => {
  expect(largestOverlap(["x y z w", "a b"], ["q r", "a c", "x q"])).toBe(0.5);
  expect(largestOverlap([], ["a"])).toBe(0);
});
