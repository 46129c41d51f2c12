import { describe, expect, it } from "vitest";
import { cleanLine, cleanText, cutText, isLongerThan } from "../../src/skillbook/clean-text.ts";

describe("cleanText", () => {
  it("removes control, bidi, zero-width and tag characters and keeps line feeds and tabs", () => {
    const tag = "\u{E0041}\u{E0042}";
    expect(cleanText(` a\u0000b\u202Ec\u200Bd${tag}\te\nf `)).toBe("abcd\te\nf");
    expect(cleanText("line one\r\nline two")).toBe("line one\nline two");
  });

  it("removes lone surrogates and keeps emoji", () => {
    expect(cleanText("a\uD800b 🚀")).toBe("ab 🚀");
  });
});

describe("cleanLine", () => {
  it("makes one line with single spaces", () => {
    expect(cleanLine(" a \n\t b ")).toBe("a b");
  });
});

describe("isLongerThan and cutText", () => {
  it("count characters, not UTF-16 units", () => {
    const rockets = "🚀".repeat(10);
    expect(isLongerThan(rockets, 10)).toBe(false);
    expect(isLongerThan(rockets, 9)).toBe(true);
    expect(cutText(rockets, 10)).toBe(rockets);
    expect(cutText(rockets, 4)).toBe("🚀🚀🚀…");
  });
});
