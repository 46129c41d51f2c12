import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseAction } from "../../src/actions/action-file.ts";
import { ValidationError } from "../../src/errors/domain-error.ts";

const SOURCE = ".acumen/actions/fix.md";
const HEAD = "name: team/fix\ndescription: Fixes a bug.";

function file(head: string, body = "Fix {{bug}}."): string {
  return `---\n${head}\n---\n${body}\n`;
}

describe("an action's file", () => {
  test("with everything", () => {
    const action = parseAction(
      file(
        `${HEAD}
arguments:
  type: object
  properties: { bug: { type: string } }
  required: [bug]
definition_of_done: All tests pass.
validations:
  - { name: tests, run: npm test }
  - { name: slow, run: make, timeout_seconds: 9, network: true }
profile: auto`,
      ),
      SOURCE,
    );
    expect(action).toEqual({
      name: "team/fix",
      description: "Fixes a bug.",
      arguments: {
        type: "object",
        properties: { bug: { type: "string" } },
        required: ["bug"],
      },
      definition_of_done: "All tests pass.",
      validations: [
        { name: "tests", run: "npm test", timeout_seconds: 300, network: false },
        { name: "slow", run: "make", timeout_seconds: 9, network: true },
      ],
      profile: "auto",
      body: "Fix {{bug}}.",
      source: SOURCE,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  test("may name its arguments and their values like keywords", () => {
    const schema =
      "{ type: object, properties: { pattern: { enum: [not, if] }, else: { default: { not: 1 } } } }";
    expect(parseAction(file(`${HEAD}\narguments: ${schema}`), SOURCE).name).toBe("team/fix");
  });

  test("with the least, a byte order mark and Windows line ends", () => {
    const text = `\uFEFF${file(HEAD).replaceAll("\n", "\r\n")}`;
    expect(parseAction(text, SOURCE)).toMatchObject({
      name: "team/fix",
      arguments: { type: "object", properties: {}, additionalProperties: false },
      validations: [],
      profile: null,
      definition_of_done: null,
      body: "Fix {{bug}}.",
    });
  });

  test.each([
    ["Fix it.", /does not begin with front matter/],
    [file("name: [", "x"), /no YAML/],
    [file("name: a/b\nname: a/c\ndescription: x"), /no YAML/],
    [file("description: x"), /name: /],
    [file("name: Team/Fix\ndescription: x"), /name: expected namespace\/name/],
    [file("name: builtin/task\ndescription: x"), /name: this namespace is reserved/],
    [file(`${HEAD}\nprofil: auto`), /profil/],
    [file(`${HEAD}\nprofile: yolo`), /profile: .*manual.*full-auto/],
    [file(`${HEAD}\narguments: { type: string }`), /arguments: expected a JSON Schema/],
    [file(`${HEAD}\narguments: { type: object, pattern: a }`), /arguments: the keyword pattern/],
    [file(`${HEAD}\nvalidations: [{ name: a, run: x }, { name: a, run: y }]`), /same name/],
    [file(`${HEAD}\nvalidations: [{ name: a, run: x, timeout_seconds: 0 }]`), /timeout_seconds/],
    [file(HEAD, "  "), /no prompt/],
    [file(HEAD, "a\0b"), /prompt: expected no characters that cannot be seen/],
    [file('name: a/b\ndescription: "a\\x1b[2Jb"'), /description: expected no characters/],
    [file('name: a/b\ndescription: "a\\u202eb"'), /description: expected no characters/],
    [file('name: a/b\ndescription: "a\\u200bb"'), /description: expected no characters/],
    [file(HEAD, "a\u{e0041}b"), /prompt: expected no characters/],
    [file(`${HEAD}\ndefinition_of_done: "a\\x1b[2Jb"`), /definition_of_done: expected no char/],
    [file(`${HEAD}\ndefinition_of_done: "a\\u202eb"`), /definition_of_done: expected no char/],
    [
      file(`${HEAD}\nvalidations: [{ name: "a\\x1b[2Jb", run: x }]`),
      /validations\.0\.name: expected no characters/,
    ],
    [
      file(`${HEAD}\nvalidations: [{ name: a, run: "make\\rrm -rf x" }]`),
      /validations\.0\.run: expected no characters/,
    ],
    [
      file(`${HEAD}\nvalidations: [{ name: a, run: "ma\\u200dke" }]`),
      /validations\.0\.run: expected no characters/,
    ],
    [
      file(`${HEAD}\ndefinition_of_done: ${"x ".repeat(40_000)}`),
      /front matter has more than 64 KiB/,
    ],
    [file(`${HEAD}\n...\nname: a/c`), /no YAML/],
    [file(HEAD, "x".repeat(300_000)), /more than 256 KiB/],
  ])("%# is refused with its place", (text, message) => {
    const parse = (): unknown => parseAction(text, SOURCE);
    expect(parse).toThrow(ValidationError);
    expect(parse).toThrow(message);
    expect(parse).toThrow(SOURCE);
  });

  test("may have emoji, other scripts, and commands of several lines", () => {
    const text = file(
      `${HEAD}\nvalidations:\n- name: тест ❤️\n  run: |\n    make\n    \tmake test`,
      "👩\u200d💻 می\u200cخواهم\tx\r\ny",
    );
    expect(parseAction(text, SOURCE).validations).toMatchObject([
      { name: "тест ❤️", run: "make\n\tmake test\n" },
    ]);
  });

  test("tells all its faults at once", () => {
    const parse = (): unknown =>
      parseAction(
        file("name: Team\nprofile: yolo\nprofil: x\narguments: { type: list }", ""),
        SOURCE,
      );
    for (const what of [
      "name: ",
      "description: ",
      "profile: ",
      "profil",
      "arguments: ",
      "prompt",
    ]) {
      expect(parse).toThrow(what);
    }
  });

  test("tells no more of its faults than somebody would read", () => {
    const keys = Array.from({ length: 60 }, (_, at) => `a${at}: { not: 1 }`).join(", ");
    const head = `${HEAD}\narguments: { type: object, properties: { ${keys} } }\n${"k".repeat(1_000)}: 1`;
    const error: unknown = (() => {
      try {
        return parseAction(file(head), SOURCE);
      } catch (caught) {
        return caught;
      }
    })();
    expect(error).toBeInstanceOf(ValidationError);
    if (!(error instanceof ValidationError)) return;
    expect(error.message).toMatch(/; and 41 more\.$/);
    expect(JSON.stringify([error.message, error.details]).length).toBeLessThan(20_000);
  });

  test("whatever stands in it, it is an action or a fault of validation", () => {
    const line = fc.constantFrom(
      "name: a/b",
      "description: x",
      "---",
      "validations:",
      "- a",
      "&a [*a]",
      "? {}",
    );
    const text = fc.oneof(
      fc.string(),
      fc.array(fc.oneof(line, fc.string())).map((lines) => lines.join("\n")),
    );
    fc.assert(
      fc.property(text, text, (head, body) => {
        try {
          expect(parseAction(file(head, body), SOURCE).name).toMatch(/\//);
        } catch (error) {
          expect(error).toBeInstanceOf(ValidationError);
        }
      }),
    );
  });
});
