import { expect, test } from "vitest";
import { type ConvertedSchema, convertSchema } from "../../../src/mcp/tools/convert-schema.ts";

type Json = Record<string, unknown>;

function converted(properties: Json, more: Json = {}): ConvertedSchema {
  const made = convertSchema({ type: "object", properties, ...more });
  if (!made.ok) throw new Error(made.reason);
  return made;
}

/** What is wrong with the value of `x`. */
function faultOf(schema: unknown, value: unknown): string | undefined {
  return converted({ x: schema }).validate({ x: value });
}

test("no arguments are an empty object", () => {
  const { restore } = converted({ x: { type: "string" } });
  for (const nothing of [undefined, null, ""]) expect(restore(nothing)).toEqual({});
  expect(restore("{}")).toEqual({});
});

test("objects and lists that were written as texts are read where no text can be meant", () => {
  const { restore } = converted({
    object: { type: "object", properties: { list: { type: "array" } } },
    list: { type: ["array", "null"] },
    text: { type: "string" },
    either: { type: ["string", "object"] },
    one: { anyOf: [{ type: "object" }, { type: "null" }] },
    textOne: { anyOf: [{ type: "object" }, { type: "string" }] },
    any: {},
    number: { type: "number" },
  });
  const text = '{"a": 1}';
  expect(
    restore({
      object: '{"list": "[1, 2]"}',
      list: "[3]",
      text,
      either: text,
      one: text,
      textOne: text,
      any: text,
      number: "5",
    }),
  ).toEqual({
    object: { list: [1, 2] },
    list: [3],
    text,
    either: text,
    one: { a: 1 },
    textOne: text,
    any: text,
    number: "5",
  });
  expect(restore({ object: "{broken", list: text })).toEqual({ object: "{broken", list: text });
  expect(restore({ list: "[".repeat(100_000) })).toEqual({ list: "[".repeat(100_000) });
});

test.each<[unknown, unknown, string]>([
  [{ type: "string" }, 1, "x: expected string"],
  [{ type: ["string", "null"] }, 1, "x: expected string or null"],
  [{ type: "integer" }, 1.5, "x: expected integer"],
  [{ enum: ["a", "b"] }, "c", 'x: expected one of ["a","b"]'],
  [{ const: 1 }, 2, "x: expected 1"],
  [{ minimum: 3 }, 2, "x: must be at least 3"],
  [{ maximum: 3 }, 4, "x: must be at most 3"],
  [{ minimum: 3, exclusiveMinimum: true }, 3, "x: must be more than 3"],
  [{ exclusiveMaximum: 3 }, 3, "x: must be less than 3"],
  [{ multipleOf: 5 }, 7, "x: must be a multiple of 5"],
  [{ minLength: 2 }, "a", "x: must have at least 2 characters"],
  [{ maxLength: 1 }, "ab", "x: must have at most 1 characters"],
  [{ minItems: 1 }, [], "x: must have at least 1 items"],
  [{ maxItems: 1 }, [1, 2], "x: must have at most 1 items"],
  [{ uniqueItems: true }, [{}, {}], "x: must not have an item twice"],
  [{ items: { type: "number" } }, [1, "a"], "x.1: expected number"],
  [{ items: [{ type: "string" }, { type: "number" }] }, ["a", "b"], "x.1: expected number"],
  [{ prefixItems: [{}], items: false }, [1, 2], "x: must have at most 1 items"],
  [{ minProperties: 1 }, {}, "x: must have at least 1 fields"],
  [{ maxProperties: 0 }, { a: 1 }, "x: must have at most 0 fields"],
  [{ properties: { a: {} }, required: ["a"] }, {}, "x.a: is missing"],
  [{ properties: { a: {}, b: {} }, dependencies: { a: ["b"] } }, { a: 1 }, "x.b: is missing"],
  [{ properties: { a: {} }, additionalProperties: false }, { b: 1 }, 'unknown field "x.b"'],
  [{ additionalProperties: { type: "string" } }, { b: 1 }, "x.b: expected string"],
  [{ allOf: [{ type: "string" }] }, 1, "x: expected string"],
  [
    { anyOf: [{ type: "string" }, { type: "null" }] },
    1,
    "x: has none of the forms that the schema allows",
  ],
  [
    { anyOf: [{ type: "object", properties: { a: { type: "string" } } }, { type: "string" }] },
    { a: 1 },
    "x.a: expected string",
  ],
])("%j refuses %j", (schema, value, fault) => {
  expect(faultOf(schema, value)).toBe(`${fault}. It takes {x?}.`);
});

test.each<[unknown, unknown]>([
  [{ type: "number" }, 1],
  [{ type: "integer" }, 1],
  [{ multipleOf: 0.01 }, 0.07],
  [{ maxLength: 1 }, "🔥"],
  [{ type: "string", pattern: "^a$", format: "email" }, "b"],
  [
    {
      type: "object",
      patternProperties: { "^a": { type: "string" } },
      additionalProperties: false,
    },
    { b: 1 },
  ],
  [{ oneOf: [{ type: "string", pattern: "a" }, { type: "string" }] }, "a"],
  [{ not: { type: "string" } }, "a"],
  [{ if: { type: "string" }, else: { const: "b" } }, 1],
  [{ enum: [] }, "a"],
  [{ type: "file" }, 1],
  [{ required: ["ghost"] }, {}],
  [{ $ref: "https://elsewhere.example/x" }, 1],
  [{ enum: [{ a: 1 }] }, { a: 1 }],
  [{ properties: { constructor: { type: "string" } } }, {}],
])("%j leaves %j to the server", (schema, value) => {
  expect(faultOf(schema, value)).toBeUndefined();
});

test("names what is missing and unknown, near names, and what the tool takes, in the model's names", () => {
  const { validate, restore } = converted(
    { query: { type: "string" }, "page size": { type: "integer" } },
    { required: ["query", "page size"], additionalProperties: false },
  );
  expect(validate(restore({ qury: "x", page_size: "5" }) as Json)).toBe(
    'query: is missing; unknown field "qury" (did you mean "query"?); page_size: expected integer. It takes {query, page_size}.',
  );
});

test("alternatives of the root may require what the root describes", () => {
  const { validate } = converted(
    { a: { type: "string" }, b: { type: "string" } },
    { anyOf: [{ required: ["a"] }, { required: ["b"] }] },
  );
  expect(validate({ b: "x" })).toBeUndefined();
  expect(validate({})).toContain("the input: has none of the forms that the schema allows");
});

test("a regular expression of a server holds nothing up", () => {
  const slow = { type: "string", pattern: "^(a+)+$" };
  const { validate } = converted({ x: slow }, { patternProperties: { "^(a+)+$": slow } });
  const startedAt = performance.now();
  const text = `${"a".repeat(40)}!`;
  expect(validate({ x: text, [text]: text })).toBeUndefined();
  expect(performance.now() - startedAt).toBeLessThan(3000);
});

test("many faults make a short text", () => {
  const { validate } = converted({ x: { type: "array", items: { type: "string" } } });
  const fault = validate({ x: Array.from({ length: 1000 }, () => 1) }) ?? "";
  expect(fault).toContain("x.0: expected string; x.1: expected string");
  expect(fault).toContain("; and more. It takes {x?}.");
  expect(fault.length).toBeLessThan(400);
});
