import fc from "fast-check";
import { expect, test } from "vitest";
import { printable, shortened } from "../../src/terminal/printable.ts";

test("removes what drives a terminal or hides text", () => {
  expect(printable("\u001B[31mred\u001B[0m \u0007bell\u0000")).toBe("[31mred[0m bell");
  expect(printable("a\nb\r\nc\td\u0085e\u2028f")).toBe("a b c d e f");
  expect(printable("\u202Eevil\u2066\u200B\u{E0041}\uFEFF")).toBe("evil");
  expect(printable("\uD800 lone")).toBe("lone");
  expect(printable("äöü 日本 ❤\uFE0F")).toBe("äöü 日本 ❤\uFE0F");
});

test("never lets a control, format or surrogate character through", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(printable(text)).toMatch(/^[^\p{Cc}\p{Cf}\p{Cs}]*$/u);
      expect(printable(printable(text))).toBe(printable(text));
    }),
  );
});

test("cuts whole characters and says so", () => {
  expect(shortened("one two three", 8)).toBe("one two…");
  expect(shortened("one", 3)).toBe("one");
  expect(shortened("😀😀😀", 2)).toBe("😀…");
});
