import fc from "fast-check";
import { expect, test } from "vitest";
import { ValidationError } from "../../src/errors/domain-error.ts";
import { checkedArguments, filledPrompt } from "../../src/plans/argument-values.ts";

const SCHEMA = {
  type: "object",
  properties: { a: { type: "string", default: "standard" }, b: { type: "integer" } },
};

test.each([
  ["Do {{a}}.", { a: "it" }, "Do it."],
  ["Do {{ a }}, {{a}}.", { a: "it" }, "Do it, it."],
  ["```\n{{a}}\n```", { a: "code" }, "```\ncode\n```"],
  ["{{a}}", { a: "{{b}} {{a}} $& $1 $$" }, "{{b}} {{a}} $& $1 $$"],
  ["{{{a}}}", { a: "x" }, "{x}"],
  ["{{c}} {{ unknown }} {{}}", { a: "x" }, "{{c}} {{ unknown }} {{}}"],
  ["[{{b}}]", {}, "[]"],
  ["{{b}}", { b: 5 }, "5"],
  ["{{toString}} {{constructor}}", {}, "{{toString}} {{constructor}}"],
])("%s with %j is %s", (body, values, prompt) => {
  expect(filledPrompt(body, SCHEMA, values)).toBe(prompt);
});

test("whatever a value is, it stands there as it is, once", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (value) => {
      expect(filledPrompt("<{{a}}>", SCHEMA, { a: value })).toBe(`<${value}>`);
    }),
  );
});

test("defaults stand in for what is not given, and nothing else does", () => {
  expect(checkedArguments("t/a", SCHEMA, {})).toEqual({ a: "standard" });
  expect(checkedArguments("t/a", SCHEMA, { a: "own", b: 1 })).toEqual({ a: "own", b: 1 });
  expect(() => checkedArguments("t/a", SCHEMA, { b: "1" })).toThrow(ValidationError);
});

test("a long value that is named often is refused before it takes the memory", () => {
  const body = "{{a}}".repeat(50_000);
  expect(() => filledPrompt(body, SCHEMA, { a: "x".repeat(900_000) })).toThrow(ValidationError);
  expect(filledPrompt("{{a}}", SCHEMA, { a: "x".repeat(900_000) })).toHaveLength(900_000);
});
