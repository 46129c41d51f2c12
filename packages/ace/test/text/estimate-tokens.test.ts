import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { estimateTokens } from "../../src/text/estimate-tokens.ts";

describe("estimateTokens", () => {
  it.each([
    ["", 0],
    ["word", 1],
    ["two words", 2],
    ["internationalisation", 4],
    ["1234567", 3],
    ["a.b", 3],
    ["a\tb\n", 4],
    ["abc123", 2],
    ["日本語", 3],
    ["🎉", 3],
    ["Привет", 3],
    ["für", 3],
  ])("estimates %j at %i", (text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens);
  });

  it("is additive over lines and never falls when text is added", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(estimateTokens(`${a}\n${b}`)).toBe(estimateTokens(`${a}\n`) + estimateTokens(b));
        expect(estimateTokens(a + b)).toBeGreaterThanOrEqual(estimateTokens(a));
        expect(estimateTokens(a + b)).toBeLessThanOrEqual(estimateTokens(a) + estimateTokens(b));
      }),
    );
  });
});
