import { valueFaults } from "@acumen/agent";
import { expect, test } from "vitest";
import { schemaFaults } from "../../src/actions/argument-schema.ts";
import type { JsonObject } from "../../src/envelope/json-value.ts";

const object = (property: unknown, rest: object = {}): JsonObject =>
  ({ type: "object", properties: { a: property }, ...rest }) as JsonObject;

test.each<[string, JsonObject, unknown]>([
  ["a pattern", object({ pattern: "^b" }), "x"],
  ["a negation", object({ not: {} }), 1],
  ["a condition", object({ if: { type: "null" }, else: { type: "null" } }), 1],
  ["exactly one of", object({ oneOf: [{ type: "integer" }, { type: "number" }] }), 1],
  ["contents of lists", object({ contains: { const: 2 } }), [1]],
  ["fields that follow others", object({}, { dependentRequired: { a: ["b"] } }), 1],
  ["schemas that follow fields", object({}, { dependentSchemas: { a: { required: ["b"] } } }), 1],
  ["what no other keyword sees", object({}, { unevaluatedProperties: false }), 1],
  ["names of fields", object({}, { propertyNames: { maxLength: 0 } }), 1],
  ["fields by pattern", object({}, { patternProperties: { a: { type: "string" } } }), 1],
  ["a type that is none", object({ type: "strin" }), 1],
  ["no type at all", object({ type: [] }), 1],
  ["a field that nothing fits", object(false), 1],
  ["a required name that is not described", object({}, { required: ["b"] }), 1],
  ["one that is required elsewhere", object({}, { allOf: [{ required: ["b"] }] }), 1],
  ["a reference that leads nowhere", object({ $ref: "#/$defs/b" }), 1],
  ["a reference that leads out", object({ $ref: "file:///etc/passwd" }), 1],
  ["a misspelt keyword", object({ requird: ["b"] }), {}],
])("%s is refused, because it would not be checked", (_what, schema, value) => {
  expect(schemaFaults(schema)).not.toEqual([]);
  // Why: what it forbids would pass.
  expect(valueFaults({ a: value }, schema)).toEqual([]);
});

test.each<[string, JsonObject]>([
  [
    "that refers to itself",
    object({ $ref: "#/$defs/b" }, { $defs: { b: { items: { $ref: "#/$defs/b" } } } }),
  ],
  ["that contains itself", object({ $ref: "#" })],
  ["whose default does not fit", object({ type: "string", default: 5 })],
  ["whose list of schemas holds none", object({ anyOf: ["string"] })],
  ["with a fault deep inside", object({ items: { properties: { b: { anyOf: [{ not: {} }] } } } })],
])("a schema %s is refused", (_what, schema) => {
  expect(schemaFaults(schema)).not.toEqual([]);
});

test("every fault of a schema is told", () => {
  const schema = object({ pattern: "a", items: { type: "strin" } }, { required: ["b", "c"] });
  expect(schemaFaults(schema)).toEqual([
    expect.stringContaining("the keyword pattern"),
    expect.stringContaining('no type "strin"'),
    expect.stringContaining('"b" is required'),
    expect.stringContaining('"c" is required'),
  ]);
});

test.each<[string, JsonObject, unknown]>([
  ["types", object({ type: ["string", "null"] }), 1],
  ["limits of numbers", object({ minimum: 1, exclusiveMaximum: 5, multipleOf: 2 }), 6],
  ["limits of texts", object({ maxLength: 2 }), "abc"],
  ["lists", object({ prefixItems: [{ type: "string" }], items: { type: "number" } }), ["a", "b"]],
  ["one item twice", object({ uniqueItems: true, minItems: 1, maxItems: 3 }), [1, 1]],
  ["values by name", object({ enum: ["a", "b"] }), "c"],
  ["one value", object({ const: 1 }), 2],
  ["forms", object({ anyOf: [{ type: "integer" }, { type: "string", maxLength: 1 }] }), "ab"],
  ["several at once", object({ allOf: [{ type: "string" }, { maxLength: 1 }] }), "ab"],
  ["references", object({ $ref: "#/$defs/b" }, { $defs: { b: { type: "string" } } }), 1],
  ["deep fields", object({ properties: { b: { type: "string" } }, required: ["b"] }), {}],
  ["no other fields", object({ additionalProperties: false }), { b: 1 }],
])("%s are taken, because they are checked", (_what, schema, value) => {
  expect(schemaFaults(schema)).toEqual([]);
  expect(valueFaults({ a: value }, schema)).not.toEqual([]);
});

test("notes, and names like keywords, are taken", () => {
  const notes = {
    title: "A",
    description: "b",
    examples: [{ not: 1 }],
    format: "email",
    "x-own": 1,
  };
  const schema = object(
    { ...notes, type: "string", default: "c", enum: ["c", "not"] },
    { required: ["a"] },
  );
  expect(schemaFaults(schema)).toEqual([]);
  expect(schemaFaults({ type: "object", properties: { pattern: {}, else: {} } })).toEqual([]);
});
