import { createRedactor, visibleText } from "@acumen/agent";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SafeWords } from "../../src/commands/safe-words.ts";

const SECRET = "a-key-that-nobody-may-see";
const say = new SafeWords({ redact: createRedactor([SECRET]), visible: visibleText });
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cs}\u200B-\u200F\u202A-\u202E\u2066-\u2069]/u;

describe("texts of others in an answer", () => {
  test("names are code, whatever they hold", () => {
    expect(say.code("a.ts")).toBe("`a.ts`");
    expect(say.code("a`b``c")).toBe("``` a`b``c ```");
    expect(say.code("two\nlines\u001B[2J")).toBe("`two lines [2J`");
    expect(say.code("")).toBe("(empty)");
  });

  test.each([
    ["![x](http://evil/?q)", String.raw`![x\](http://evil/?q)`],
    ["[x][y] [x]: y", String.raw`[x\][y] [x\]: y`],
    ["<img src=x>", String.raw`\<img src=x>`],
    ["CLI_X in [hidden] C:\\tmp", "CLI_X in [hidden] C:\\tmp"],
    ["run `acumen mcp <x>` now", "run `acumen mcp <x>` now"],
    ["a stray ` here", "a stray \\` here"],
    ["``` ![x](u) `", "\\`\\`\\` ![x\\](u) \\`"],
    ["\\` ![x](u) `", "\\\\` ![x](u) `"],
    [String.raw`\](u)`, String.raw`\\\](u)`],
  ])("sentences bring no link, image or HTML: %j", (text, shown) => {
    expect(say.prose(text)).toBe(shown);
  });

  test("a block stays a block when it holds a fence", () => {
    expect(say.block("-a\n```\n+b\n", 100)).toBe("````\n-a\n```\n+b\n````");
  });

  test("a secret is taken out before a text is cut, so that no half of it stays", () => {
    const long = `${"x".repeat(290)} ${SECRET}`;
    for (const shown of [say.code(long), say.prose(long, 300), say.block(long, 300)]) {
      expect(shown).not.toContain("a-key");
    }
    expect(say.answer(`the key is ${SECRET}.`)).toBe("the key is [hidden].");
  });

  test("nothing hidden, endless or open comes out of any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 3_000 }), (text) => {
        const code = say.code(text);
        const prose = say.prose(text);
        const block = say.block(text, 500);
        for (const shown of [code, prose, block, say.answer(text)]) {
          expect(shown).not.toMatch(HIDDEN);
        }
        expect(code).not.toContain("\n");
        expect(prose).not.toContain("\n");
        expect(code.length).toBeLessThan(1_000);
        const [fence = ""] = /^`+/.exec(block) ?? [];
        expect(block.split("\n").filter((line) => line.startsWith(fence))).toHaveLength(2);
      }),
    );
    expect(say.answer("x".repeat(50_000)).length).toBeLessThan(16_100);
  });
});
