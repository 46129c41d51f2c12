import { describe, expect, it } from "vitest";

import { normaliseText } from "../../src/text/normalise.ts";

describe("normaliseText", () => {
  it.each([
    ["case", "Use NPM ci", "use npm CI"],
    ["spacing", "use  npm\n\tci ", "use npm ci"],
    ["end marks", "Use npm ci!", "use npm ci."],
    ["inner marks", "Use npm ci, then test; done", "use npm ci then test: done"],
    ["quotes", "Say \"yes\" to 'it'", "say “yes” to it"],
    ["apostrophes", "Don't stop", "don’t stop"],
    ["bullets and dashes", "- use npm — always", "use npm always"],
    ["brackets", "Use npm (always)", "use npm always"],
    ["full-width letters", "ＵＳＥ npm", "use npm"],
    ["invisible characters", "use\u200B npm", "use npm"],
  ])("ignores %s", (_name, a, b) => {
    expect(normaliseText(a)).toBe(normaliseText(b));
  });

  it.each([
    ["numbers", "wait 1.5 seconds", "wait 15 seconds"],
    ["comparison signs", "when x < 5", "when x > 5"],
    ["equality signs", "if a != b", "if a == b"],
    ["a leading bang", "pass !flag", "pass flag"],
    ["the case of options", "run git branch -D x", "run git branch -d x"],
    ["the case of code", "set `Path`", "set `path`"],
    ["the sign of a number", "return -1", "return 1"],
    ["names of languages", "write C++", "write C#"],
    ["percent signs", "take 5%", "take 5"],
  ])("keeps %s", (_name, a, b) => {
    expect(normaliseText(a)).not.toBe(normaliseText(b));
  });

  it("takes time in proportion to the text on runs that invite backtracking", () => {
    for (const run of ["'", "`", "-", "1.", "!", "(", "` "]) {
      expect(normaliseText(`${run.repeat(50_000)}x`)).toContain("x");
    }
  });
});
