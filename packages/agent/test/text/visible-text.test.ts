import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { visibleLine, visibleText } from "../../src/index.ts";

describe("visible text", () => {
  test.each([
    ["plain text, with (marks) and \\ signs", undefined],
    ["Grüße, 日本語, עברית, 🙂 ❤️", undefined],
    ["a\u001b[2Kb", "a\\u{1b}[2Kb"],
    ["a\rb", "a\\u{d}b"],
    ["a\u0000b\u007fc\u009bd", "a\\u{0}b\\u{7f}c\\u{9b}d"],
    ["a\u202eb\u2066c\u200fd", "a\\u{202e}b\\u{2066}c\\u{200f}d"],
    ["a\u200bb\u200dc\ufeffd\u00ade", "a\\u{200b}b\\u{200d}c\\u{feff}d\\u{ad}e"],
    ["a\u2028b\u2029c\u0085d", "a\\u{2028}b\\u{2029}c\\u{85}d"],
    ["\u{e0041}\u{e0100}", "\\u{e0041}\\u{e0100}"],
    ["a\ufe0fb", "a\\u{fe0f}b"],
    ["a\u115f\u3164\u2800", "a\\u{115f}\\u{3164}\\u{2800}"],
    ["a\ud800b\udc00", "a\\u{d800}b\\u{dc00}"],
  ])("of %j", (text, shown) => {
    expect(visibleText(text)).toBe(shown ?? text);
  });

  test("keeps line breaks and TABs where there may be several lines, and only there", () => {
    expect(visibleText("a\n\tb")).toBe("a\n\tb");
    expect(visibleLine("a\n\tb")).toBe("a\\u{a}\\u{9}b");
  });

  test("holds nothing unseen whatever the text, and does not change when done twice", () => {
    const text = fc.string({ unit: "binary", maxLength: 30 });
    fc.assert(
      fc.property(text, (given) => {
        const shown = visibleText(given);
        expect(shown).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cs}\p{Cf}\p{Zl}\p{Zp}]/u);
        expect(visibleText(shown)).toBe(shown);
        expect(visibleLine(given)).not.toMatch(/[\n\t]/u);
      }),
    );
  });
});
