import fc from "fast-check";
import { expect, test } from "vitest";
import { cutMiddle } from "../../src/text/cut-middle.ts";

test("a text that fits stays as it is", () => {
  expect(cutMiddle("abc", 3)).toBe("abc");
});

test("a longer one keeps its beginning and its end, and says how much is missing", () => {
  const text = `start ${"x".repeat(1_000)} end`;
  const cut = cutMiddle(text, 200);
  expect(cut).toMatch(/^start x+ \[… \d+ characters left out …\] x+ end$/);
  expect(cut.length).toBeLessThan(220);
});

test("no half character is left at an edge, and the note counts right", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 100, maxLength: 400 }), (text) => {
      const cut = cutMiddle(text, 90);
      expect(cut).not.toMatch(/[\uD800-\uDFFF]/u);
      expect(cut.length).toBeLessThan(140);
    }),
  );
});
