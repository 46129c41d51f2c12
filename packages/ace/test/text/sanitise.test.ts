import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { stripUnsafe } from "../../src/text/sanitise.ts";

describe("stripUnsafe", () => {
  it.each([
    ["control characters", "a\u0000b\u0007c\u001B[31md\u007Fe\u009Bf", "abc[31mdef"],
    ["bidi overrides and marks", "a\u202Eb\u2066c\u200Fd\u061Ce", "abcde"],
    ["zero-width characters", "a\u200Bb\u200Cc\u200Dd\u2060e\uFEFFf", "abcdef"],
    ["tag characters", "a\u{E0041}\u{E007F}b", "ab"],
    ["variation selectors of the supplement", "a\u{E0100}b", "ab"],
    ["soft hyphens and fillers", "a\u00ADb\u3164c\uFFA0d", "abcd"],
    ["lone surrogates", "a\uD800b\uDC00c", "abc"],
  ])("removes %s", (_name, text, expected) => {
    expect(stripUnsafe(text)).toBe(expected);
  });

  it("keeps line feeds, TABs, other languages and emoji", () => {
    const text = "a\n\tb Ünï 日本語 עברית ❤️ 🎉 𝒳";
    expect(stripUnsafe(text)).toBe(text);
  });

  it.each(["\r\n", "\r", "\v", "\f", "\u0085", "\u2028", "\u2029"])(
    "turns line end %j into a line feed",
    (end) => {
      expect(stripUnsafe(`a${end}b`)).toBe("a\nb");
    },
  );

  it("is idempotent and leaves nothing invisible", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const once = stripUnsafe(text);
        expect(stripUnsafe(once)).toBe(once);
        expect(once).not.toMatch(/[\u200B-\u200F\u202A-\u202E]/u);
        expect(once.replaceAll(/[\n\t]/g, "")).not.toMatch(/\p{Cc}/u);
        expect(once).not.toMatch(/[\u{E0000}-\u{E007F}]/u);
      }),
    );
  });
});
