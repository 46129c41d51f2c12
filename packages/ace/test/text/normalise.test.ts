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
    ["dashes of any length", "Use it – always – here", "use it always—here"],
    ["bullets of each line", "- Use npm\n* test it\n• 5 times", "use npm test it 5 times"],
    ["brackets", "Use npm (always)", "use npm always"],
    ["brackets before a mark", "Use npm (always, if built.).", "use npm always if built"],
    ["brackets around code", "Install (with `npm ci`).", "install with npm ci"],
    ["bold", "**Use** npm", "use npm"],
    ["commas without a space", "red,green", "red, green"],
    ["dots of an ellipsis", "wait… then ...go ...", "wait then go"],
    ["greetings", "Hello, world!", "hello world"],
    ["marks behind code", "call f(x), then g[0].", "call f(x) then g[0]"],
    ["Spanish marks", "¿Qué?", "qué"],
    ["marks of scripts without spaces", "先に、単位（必ず）を書く。", "先に 単位必ずを書く"],
    ["quotes around code", 'say "run -D x"', "say run -D x"],
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
    ["minus and times", "revenue - cost", "revenue * cost"],
    ["minus and nothing", "revenue - cost", "revenue cost"],
    ["minus before a number", "by - 5 hours", "by 5 hours"],
    ["a dash before a number", "by – 5 hours", "by 5 hours"],
    ["minus at a line start", "- 5", "5"],
    ["minus before a variable", "- x", "x"],
    ["empty brackets", "set the flag to {}", "set the flag to []"],
    ["empty brackets and nothing", "set the flag to ()", "set the flag to"],
    ["empty quotes", 'set it to ""', "set it to"],
    ["brackets in a call", "f([x])", "f(x)"],
    ["braces in a call", "f({x})", "f(x)"],
    ["a call", "pass f()", "pass f"],
    ["a list", "return [a, b]", "return a, b"],
    ["grouping", "(a + b) * c", "a + b * c"],
    ["grouping by words", "(a and b) or c", "a and (b or c)"],
    ["negative amounts in brackets", "(500)", "500"],
    ["the conditional operator", "x ? y : z", "x y z"],
    ["a lone asterisk", "list files matching *", "list files matching"],
    ["a lone question mark", "list files matching ?", "list files matching"],
    ["asterisks of a schedule", "run at 0 5 * * *", "run at 0 5 * *"],
    ["a lone semicolon", "split at ;", "split at :"],
    ["a lone comma", "split at ,", "split at"],
    ["a lone dot", "git add .", "git add"],
    ["two dots", "cd ..", "cd"],
    ["lone hyphens", "npm test -- x", "npm test x"],
    ["a leading dot", "ignore .env", "ignore env"],
    ["inner dots", "open a.ts", "open a ts"],
    ["strings", 'x = "a"', "x = a"],
    ["strings in a call", 'print("x")', "print(x)"],
    ["factorials", "divide by n!", "divide by n"],
    ["feet and inches", "cut 6'", 'cut 6"'],
    ["lazy quantifiers", "match \\d+?", "match \\d+"],
    ["optional groups", "match (ab)?", "match (ab)"],
    ["the content of a folder", "copy src/.", "copy src/"],
    ["open ranges", "log main..", "log main"],
  ])("keeps %s", (_name, a, b) => {
    expect(normaliseText(a)).not.toBe(normaliseText(b));
  });

  it("takes time in proportion to the text on runs that invite backtracking", () => {
    for (const run of [
      "'",
      "`",
      "-",
      "1.",
      "!",
      "(",
      "` ",
      "*",
      "**",
      "(a",
      ". ",
      "— ",
      "- ",
      "!)",
      '"',
      "\n",
    ]) {
      expect(normaliseText(`${run.repeat(50_000)}x`)).toContain("x");
    }
  });
});
