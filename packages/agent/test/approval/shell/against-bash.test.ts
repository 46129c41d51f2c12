import { tempFolder } from "@acumen/testkit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CommandView } from "../../../src/approval/command-view.ts";
import { simpleWords } from "../../../src/approval/shell/simple-command.ts";
import { bashWords, programsTried } from "./bash.ts";
import { brokenScript, nestedScript } from "./scripts.ts";

const RULE = { type: "words", words: ["zz"], rest: true } as const;

describe("a program that bash runs", () => {
  test.each([
    ["broken", brokenScript],
    ["nested", nestedScript],
  ])("is never overlooked in a %s script", async (_name, scripts) => {
    await using folder = await tempFolder("bash");
    expect(programsTried("ls\nzz 1", folder.path)).toContain("zz");
    fc.assert(
      fc.property(scripts, (script) => {
        if (new CommandView(script).finds(RULE) !== "no") return;
        expect(programsTried(script, folder.path)).not.toContain("zz");
      }),
      { numRuns: 120 },
    );
  });
});

describe("a simple command", () => {
  const words = fc.array(
    fc.constantFrom(
      ..."a|B|1|-|--|_|.|/|:|,|=|@|%|+|^|!|#|ä|日| |  |\t|'|'|\"|\"|\\|\\\\|'x y'|\"x'y\"|'\"'|\\ |\\'".split(
        "|",
      ),
      ...'\';\'|\'|\'|"&"|\'*\'|\'{\'|"("|\'>\'|"\\""|"\\\\"|"\\a"'.split("|"),
      ...";|&|(|)|<|>|*|?|[|]|{|}|$|`|~|\n".split("|"),
    ),
    { minLength: 1, maxLength: 14 },
  );

  test("has for us the words that it has for bash", () => {
    const texts = fc
      .sample(words, { numRuns: 6_000, seed: 7 })
      .map((pieces) => `x${pieces.join("")}`);
    const simple = texts.flatMap((text) => {
      const own = simpleWords(text);
      return own === undefined ? [] : [{ text, own }];
    });
    expect(simple.length).toBeGreaterThan(300);
    const theirs = bashWords(simple.map(({ text }) => text));
    for (const [index, { text, own }] of simple.entries()) {
      expect({ text, words: theirs[index] }).toEqual({ text, words: own });
    }
  });

  test("holds no mark of the shell outside quotes, whatever is tried", () => {
    const marks = fc.constantFrom(...";&|<>()*?[]{}\n\r\0".split(""));
    const anywhere = fc.constantFrom("$", "`", "~", "\n", "\u202e", "\u200b", "\ud800", "\u001b");
    const plain = fc.string({ unit: fc.constantFrom(..."ab -_./=ä".split("")), maxLength: 8 });
    const any = { type: "words", words: [], rest: true } as const;
    const start = { type: "words", words: ["npm", "test"], rest: true } as const;
    fc.assert(
      fc.property(plain, marks, plain, (before, mark, after) => {
        const view = new CommandView(`npm test ${before}${mark}${after}`);
        expect([view.allows(any), view.allows(start)]).toEqual([false, false]);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), anywhere, fc.string(), (before, mark, after) => {
        const view = new CommandView(`npm test ${before}${mark}${after}`);
        expect([view.allows(any), view.allows(start)]).toEqual([false, false]);
      }),
    );
  });
});
