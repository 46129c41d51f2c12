import fc from "fast-check";
import { expect, test } from "vitest";
import { convertSchema } from "../../../src/mcp/tools/convert-schema.ts";

type Json = Record<string, unknown>;

/** The form for models. */
function shown(raw: unknown): Json {
  const converted = convertSchema(raw);
  if (!converted.ok) throw new Error(converted.reason);
  return converted.schema;
}

/** Of an object with one property `x`. */
function property(schema: unknown, root: Json = {}): unknown {
  const { properties } = shown({ type: "object", properties: { x: schema }, ...root });
  return (properties as Json)["x"];
}

function reason(raw: unknown): string {
  const converted = convertSchema(raw);
  return converted.ok ? "" : converted.reason;
}

const NODE = {
  type: "object",
  properties: {
    name: { type: "string" },
    kids: { type: "array", items: { $ref: "#/$defs/node" } },
  },
};

test.each<[string, unknown, unknown]>([
  ["a plain type", { type: "string", minLength: 1 }, { type: "string", minLength: 1 }],
  ["true", true, {}],
  ["no schema at all", "text", {}],
  ["several types", { type: ["string", "null"] }, { type: ["string", "null"] }],
  ["an unknown type", { type: "file" }, {}],
  ["nullable", { type: "string", nullable: true }, { type: ["string", "null"] }],
  [
    "nullable with values",
    { type: "string", enum: ["a"], nullable: true },
    { type: ["string", "null"], enum: ["a", null] },
  ],
  [
    "nullable alternatives",
    { anyOf: [{ type: "string" }], nullable: true },
    { anyOf: [{ type: "string" }, { type: "null" }] },
  ],
  [
    "a missing type, by properties",
    { properties: { a: {} } },
    { type: "object", properties: { a: {} } },
  ],
  [
    "a missing type, by items",
    { items: { type: "string" } },
    { type: "array", items: { type: "string" } },
  ],
  ["a missing type, by values", { enum: ["a", "b"] }, { type: "string", enum: ["a", "b"] }],
  ["mixed values", { enum: ["a", 1] }, { enum: ["a", 1] }],
  ["values that are there twice", { enum: ["a", "a"] }, { type: "string", enum: ["a"] }],
  ["a constant", { const: 3 }, { type: "integer", const: 3 }],
  ["a list without items", { type: "array" }, { type: "array", items: {} }],
  ["a list of anything", { type: "array", items: true }, { type: "array", items: {} }],
  ["an empty list", { type: "array", items: false }, { type: "array", items: {}, maxItems: 0 }],
  [
    "draft-04 limits",
    { type: "number", minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
    { type: "number", exclusiveMinimum: 1, maximum: 9 },
  ],
  ["divisibleBy", { type: "integer", divisibleBy: 5 }, { type: "integer", multipleOf: 5 }],
  ["draft-03 required", { type: "string", required: true }, { type: "string" }],
  ["limits of a wrong kind", { type: "string", minLength: "3", maxLength: -1 }, { type: "string" }],
  [
    "additionalProperties",
    { type: "object", additionalProperties: { type: "array" } },
    { type: "object", additionalProperties: { type: "array", items: {} } },
  ],
  [
    "vendor words",
    { type: "string", "x-ui": 1, $comment: "c", contentEncoding: "base64", readOnly: true },
    { type: "string" },
  ],
  ["large examples", { type: "string", examples: ["e".repeat(600)] }, { type: "string" }],
  ["small examples", { type: "string", examples: ["e"] }, { type: "string", examples: ["e"] }],
  ["a pattern of another language", { type: "string", pattern: "(?i)x" }, { type: "string" }],
  ["not", { not: { type: "null" } }, { not: { type: "null" } }],
  ["a false alternative", { anyOf: [{ type: "string" }, false] }, { anyOf: [{ type: "string" }] }],
  [
    "a tuple of draft-07",
    { type: "array", items: [{ type: "string" }, { type: "number" }], additionalItems: false },
    {
      type: "array",
      items: { anyOf: [{ type: "string" }, { type: "number" }] },
      maxItems: 2,
      description: "[In this order: 1. string, 2. number]",
    },
  ],
  [
    "a tuple of 2020-12",
    { prefixItems: [{ type: "number" }, { type: "number" }], items: false, minItems: 2 },
    {
      type: "array",
      items: { type: "number" },
      minItems: 2,
      maxItems: 2,
      description: "[In this order: 1. number, 2. number]",
    },
  ],
  [
    "names that follow a pattern",
    {
      type: "object",
      patternProperties: { "^x-": { type: "string" } },
      additionalProperties: false,
    },
    {
      type: "object",
      additionalProperties: { type: "string" },
      description: "[More names are possible, of the form ^x-]",
    },
  ],
])("%s", (_name, schema, expected) => {
  expect(property(schema)).toEqual(expected);
});

test("a root is an object with properties, and its alternatives stay", () => {
  expect(shown({})).toEqual({ type: "object", properties: {} });
  expect(shown({ type: ["object", "null"], $schema: "https://json-schema.org/x" })).toEqual({
    type: "object",
    properties: {},
  });
  const alternatives = [{ required: ["a"] }, { required: ["b"] }];
  const properties = { a: { type: "string" }, b: { type: "string" } };
  expect(shown({ properties, anyOf: alternatives })).toEqual({
    type: "object",
    properties,
    anyOf: alternatives,
  });
});

test.each([
  [{ type: "string" }],
  [{ type: "array", items: {} }],
  [{ anyOf: [{ type: "string" }, { type: "number" }] }],
  [{ $ref: "#/$defs/x", $defs: { x: { type: "number" } } }],
  [null],
  [[]],
  [true],
  ["object"],
])("a root that is no object is refused: %j", (raw) => {
  expect(reason(raw)).toMatch(/^(The root of its|Its) inputSchema is no /);
});

test("what is required must be there; properties that can have no value are left out", () => {
  const schema = {
    type: "object",
    properties: { a: { type: "string" }, never: false, none: { enum: [] }, b: { required: true } },
    required: ["a", "never", "none", "ghost", 7],
  };
  expect(shown(schema)).toEqual({
    type: "object",
    properties: { a: { type: "string" }, b: {} },
    required: ["a", "b"],
  });
});

test.each([
  ["#/$defs/s", { $defs: { s: { type: "string" } } }],
  ["#/definitions/s", { definitions: { s: { type: "string" } } }],
  ["#/properties/y", { properties: { x: { $ref: "#/properties/y" }, y: { type: "string" } } }],
  ["#here", { $defs: { s: { $anchor: "here", type: "string" } } }],
  ["#there", { definitions: { s: { id: "#there", type: "string" } } }],
  ["https://e.org/s", { $defs: { s: { $id: "https://e.org/s", type: "string" } } }],
  ["s.json", { $id: "https://e.org/root.json", $defs: { s: { $id: "s.json", type: "string" } } }],
  ["https://e.org/r#/$defs/s", { $id: "https://e.org/r", $defs: { s: { type: "string" } } }],
  ["#/$defs/a~1b%20c", { $defs: { "a/b c": { type: "string" } } }],
  ["#/$defs/one", { $defs: { one: { $ref: "#/$defs/two" }, two: { type: "string" } } }],
])("the reference %s is put in place", ($ref, root) => {
  const schema = shown({ type: "object", properties: { x: { $ref } }, ...root });
  expect((schema["properties"] as Json)["x"]).toEqual({ type: "string" });
  expect(JSON.stringify(schema)).not.toMatch(/\$ref|\$defs|definitions|\$anchor|"\$?id"/);
});

test("what stands beside a reference counts", () => {
  const root = { $defs: { s: { type: "string", description: "of the definition" } } };
  expect(property({ $ref: "#/$defs/s", description: "mine" }, root)).toEqual({
    type: "string",
    description: "mine",
  });
  expect(property({ $ref: "#/$defs/s", maxLength: 3 }, root)).toMatchObject({ maxLength: 3 });
  expect(property({ $ref: "#/$defs/s", nullable: true }, root)).toMatchObject({
    anyOf: [{ type: "string" }, { type: "null" }],
  });
  expect(property({ $ref: "#/$defs/s", type: "number" }, root)).toMatchObject({
    allOf: [{ type: "string" }, { type: "number" }],
  });
});

test.each([
  ["https://elsewhere.example/schema.json", "[Described elsewhere.]"],
  ["other.json#/x", "[Described elsewhere.]"],
  ["#/$defs/ghost", "[Not described: the reference leads nowhere.]"],
  ["#/__proto__/x", "[Not described: the reference leads nowhere.]"],
  ["#ghost", "[Not described: the reference leads nowhere.]"],
])("the reference %s is not followed", ($ref, note) => {
  expect(property({ $ref, description: "A thing." })).toEqual({
    description: `A thing. ${note}`,
  });
});

test("a property called $ref is a property", () => {
  const properties = { $ref: { type: "string" }, enum: { type: "string" } };
  expect(shown({ type: "object", properties })).toEqual({
    type: "object",
    properties: { _ref: { type: "string" }, enum: { type: "string" } },
  });
});

test("what contains itself is cut at the fifth time", () => {
  const schema = JSON.stringify(shown({ $ref: "#/$defs/node", $defs: { node: NODE } }));
  expect(schema.split('"kids"')).toHaveLength(6);
  expect(schema).toContain('"items":{"description":"[The same form again; not shown deeper.]"}');
  expect(shown({ $ref: "#" })["type"]).toBe("object");
  const loop = { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } };
  expect(property({ $ref: "#/$defs/a" }, { $defs: loop })).toEqual({
    description: "[The same form again; not shown deeper.]",
  });
});

test("references that multiply stay within bounds", () => {
  const names = Array.from({ length: 40 }, (_, index) => `d${index}`);
  const doubling = Object.fromEntries(
    names.map((name, index) => {
      const next = { $ref: `#/$defs/d${index + 1}` };
      return [name, { type: "object", properties: { left: next, right: next } }];
    }),
  );
  const web = Object.fromEntries(
    names.map((name) => [
      name,
      {
        type: "object",
        properties: Object.fromEntries(names.map((to) => [to, { $ref: `#/$defs/${to}` }])),
      },
    ]),
  );
  for (const $defs of [doubling, web]) {
    const converted = convertSchema({ $ref: "#/$defs/d0", $defs });
    const chars = converted.ok ? JSON.stringify(converted.schema).length : 0;
    expect(chars).toBeLessThan(200_000);
    expect(converted.ok || converted.reason).toBeTruthy();
  }
});

test("schemas that are too large, too deep or contain themselves are refused with the reason", () => {
  let deep: Json = { type: "string" };
  for (let level = 0; level < 70; level += 1) deep = { type: "array", items: deep };
  expect(reason({ type: "object", properties: { x: deep } })).toContain("deeper than 64 levels");
  const cyclic: Json = { type: "object" };
  cyclic["properties"] = { x: cyclic };
  expect(reason(cyclic)).toContain("deeper than 64 levels");
  const description = "d".repeat(100_001);
  expect(reason({ type: "object", description })).toContain("larger than 100 kB");
  const many = Array.from({ length: 5001 }, () => ({}));
  expect(reason({ type: "object", anyOf: many })).toContain("more than 5000 parts");
});

test("200 properties go through", () => {
  const properties = Object.fromEntries(
    Array.from({ length: 200 }, (_, index) => [
      `p${index}`,
      { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
    ]),
  );
  expect(shown({ type: "object", properties })["properties"]).toEqual(properties);
});

test("texts inside are cut and cleaned", () => {
  const { description, title } = property({
    description: `a\u202eb\u200b${"x".repeat(2000)}`,
    title: "t\nt",
  }) as Json;
  expect(Buffer.byteLength(String(description))).toBeLessThanOrEqual(1024);
  expect(description).toMatch(/^abx+…$/);
  expect(title).toBe("t t");
});

test("names that a service refuses are replaced at every level, and come back as they were", () => {
  const item = { type: "object", properties: { "a b": { type: "integer" } }, required: ["a b"] };
  const hostile = JSON.parse(
    '{"__proto__": {"type": "string"}, "constructor": {"type": "string"}}',
  ) as Json;
  const converted = convertSchema({
    type: "object",
    properties: {
      "user id": { type: "string" },
      "user-id": { type: "string" },
      user_id: { type: "string" },
      ключ: { type: "string" },
      "": { type: "string" },
      ["l".repeat(70)]: { type: "string" },
      list: { type: "array", items: { anyOf: [{ type: "string" }, item] } },
      map: { type: "object", additionalProperties: item },
      ...hostile,
      ["__proto__"]: hostile["__proto__"],
    },
    required: ["user id", "list", "__proto__"],
  });
  if (!converted.ok) throw new Error(converted.reason);
  const names = Object.keys(converted.schema["properties"] as Json);
  for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_.-]{1,64}$/);
  expect(names).not.toContain("constructor");
  expect(new Set(names).size).toBe(10);
  expect(converted.schema["required"]).toEqual(["user_id_2", "list", "__proto___2"]);
  const args = converted.restore({
    user_id_2: "spaced",
    "user-id": "dashed",
    user_id: "plain",
    list: ["a_b", { a_b: 1 }],
    map: { a_b: { a_b: 2 } },
    __proto___2: "p",
    constructor_2: "c",
  }) as Json;
  expect(JSON.stringify(args)).toBe(
    '{"user id":"spaced","user-id":"dashed","user_id":"plain","list":["a_b",{"a b":1}],"map":{"a_b":{"a b":2}},"__proto__":"p","constructor":"c"}',
  );
  expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
  expect(converted.validate(args)).toBeUndefined();
});

test("the given schema is not changed", () => {
  const raw = {
    type: "object",
    properties: { "a b": { type: "number", minimum: 1, exclusiveMinimum: true }, x: false },
    required: ["a b", "x"],
  };
  const before = structuredClone(raw);
  shown(raw);
  expect(raw).toEqual(before);
});

const anySchema = fc.letrec<{ schema: unknown }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4 },
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom<unknown>({ $ref: "#" }, { $ref: "#/properties/a" }, { $ref: "x" }, false),
    fc.record(
      {
        type: fc.oneof(fc.constantFrom("object", "array", "string", "number"), fc.jsonValue()),
        properties: fc.dictionary(fc.string(), tie("schema"), { maxKeys: 3 }),
        required: fc.jsonValue({ maxDepth: 1 }),
        items: fc.oneof(tie("schema"), fc.array(tie("schema"), { maxLength: 2 })),
        anyOf: fc.array(tie("schema"), { maxLength: 2 }),
        enum: fc.jsonValue({ maxDepth: 1 }),
        exclusiveMinimum: fc.jsonValue({ maxDepth: 0 }),
        not: tie("schema"),
        nullable: fc.boolean(),
        description: fc.jsonValue({ maxDepth: 0 }),
      },
      { requiredKeys: [] },
    ),
  ),
})).schema;

function expectUsable(part: unknown): void {
  if (typeof part !== "object" || part === null || Array.isArray(part)) return;
  const node = part as Json;
  expect(node).not.toHaveProperty("$ref");
  if ("properties" in node) {
    for (const [name, schema] of Object.entries(node["properties"] as Json)) {
      expect(name).toMatch(/^[a-zA-Z0-9_.-]{1,64}$/);
      expectUsable(schema);
    }
  }
  if ([node["type"]].flat().includes("array")) expect(node["items"]).toBeTypeOf("object");
  for (const word of ["items", "not", "additionalProperties"]) expectUsable(node[word]);
  if ("anyOf" in node) for (const one of node["anyOf"] as unknown[]) expectUsable(one);
}

test("whatever a server sends becomes a usable schema or a reason, and arguments survive", () => {
  fc.assert(
    fc.property(anySchema, fc.jsonValue({ maxDepth: 3 }), (raw, input) => {
      const converted = convertSchema(raw);
      if (!converted.ok) {
        expect(converted.reason).toMatch(/\.$/);
        return;
      }
      expect(converted.schema["type"]).toBe("object");
      expectUsable(converted.schema);
      const args = converted.restore(input);
      if (typeof args !== "object" || args === null || Array.isArray(args)) return;
      const fault = converted.validate(args as Json);
      expect(fault === undefined || fault.length < 5000).toBe(true);
    }),
    { numRuns: 300 },
  );
});
