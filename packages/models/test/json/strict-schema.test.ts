import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toJSONSchema, z } from "zod";
import type { JsonSchema } from "../../src/json/json-schema.ts";
import { dropAddedNulls, strictSchema } from "../../src/json/strict-schema.ts";

const json = (schema: z.ZodType): JsonSchema =>
  toJSONSchema(schema, { target: "draft-7", io: "input" });

describe("the strict form of a schema", () => {
  test("optional properties become required and nullable, objects closed, narrowing keywords go", () => {
    const strict = strictSchema(
      json(
        z.object({
          a: z.string().min(2).max(9).default("x"),
          b: z.number().optional(),
          c: z.null().optional(),
        }),
      ),
    );
    expect(strict).toEqual({
      type: "object",
      properties: {
        a: { anyOf: [{ type: "string" }, { type: "null" }] },
        b: { anyOf: [{ type: "number" }, { type: "null" }] },
        c: { type: "null" },
      },
      required: ["a", "b", "c"],
      additionalProperties: false,
    });
  });

  test("unions, lists, enums and references are kept", () => {
    const shape = z.object({ kind: z.literal("a"), list: z.array(z.enum(["x", "y"])) });
    const strict = strictSchema(json(z.object({ u: z.union([shape, z.string()]), again: shape })));
    expect(strict?.["required"]).toEqual(["u", "again"]);
    expect(JSON.stringify(strict)).toContain('"enum":["x","y"]');
  });

  test.each([
    ["maps", z.object({ m: z.record(z.string(), z.number()) })],
    ["free values", z.object({ v: z.unknown() })],
    ["open objects", z.looseObject({ a: z.string() })],
    ["a list at the root", z.array(z.string())],
  ])("%s have none", (_what, schema) => {
    expect(strictSchema(json(schema))).toBeUndefined();
  });
});

test("nor have schemas that combine or forbid others", () => {
  for (const keyword of ["allOf", "not"]) {
    const property = { type: "object", properties: {}, [keyword]: [{ required: ["a"] }] };
    expect(strictSchema({ type: "object", properties: { property } })).toBeUndefined();
  }
});

describe("nulls that stand for nothing", () => {
  test("go where the schema does not know them, and stay where it does", () => {
    const schema = json(
      z.object({
        gone: z.string().optional(),
        kept: z.string().nullable(),
        both: z.string().nullable().optional(),
        nested: z.array(z.object({ gone: z.number().optional() })),
        union: z.union([z.object({ a: z.string().optional() }), z.string()]),
      }),
    );
    const value = {
      gone: null,
      kept: null,
      both: null,
      nested: [{ gone: null }, { gone: 1 }],
      union: { a: null },
      unknown: null,
    };
    expect(dropAddedNulls(value, schema)).toEqual({
      kept: null,
      both: null,
      nested: [{}, { gone: 1 }],
      union: {},
      unknown: null,
    });
  });

  test("a recursive schema", () => {
    const tree: z.ZodType = z.object({
      name: z.string().optional(),
      get children() {
        return z.array(tree).optional();
      },
    });
    const value = { name: "a", children: [{ name: null, children: null }] };
    expect(dropAddedNulls(value, json(tree))).toEqual({ name: "a", children: [{}] });
  });

  test("filling every gap with null and dropping them again changes nothing", () => {
    // Optional and nullable at once is left out: there a null may mean either, and stays.
    const leaf = fc.constantFrom(z.string(), z.number(), z.boolean());
    const { schema: schemas } = fc.letrec<{ schema: z.ZodType }>((tie) => ({
      schema: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        leaf,
        fc
          .array(fc.tuple(fc.constantFrom("a", "b", "c", "d"), tie("schema"), fc.boolean()), {
            maxLength: 4,
          })
          .map((properties) =>
            z.object(
              Object.fromEntries(
                properties.map(([key, value, optional]) => [
                  key,
                  optional ? value.optional() : value,
                ]),
              ),
            ),
          ),
        tie("schema").map((item) => z.array(item)),
      ),
    }));
    fc.assert(
      fc.property(schemas, fc.nat(), (inner, seed) => {
        const schema = z.object({ root: inner });
        const value = sample(json(schema), seed);
        expect(schema.safeParse(value).success).toBe(true);
        const strict = strictSchema(json(schema));
        if (strict === undefined) throw new Error("should have a strict form");
        expect(dropAddedNulls(filled(value, strict), json(schema))).toEqual(value);
      }),
    );
  });
});

/** A value of the schema; which optional properties it has depends on the seed. */
function sample(schema: JsonSchema, seed: number): unknown {
  const {
    type,
    properties,
    required = [],
    items,
    anyOf,
  } = schema as {
    type?: string;
    properties?: Record<string, JsonSchema>;
    required?: string[];
    items?: JsonSchema;
    anyOf?: JsonSchema[];
  };
  if (anyOf !== undefined) return sample(anyOf[seed % anyOf.length] ?? {}, seed);
  switch (type) {
    case "string":
      return `text ${seed}`;
    case "number":
      return seed;
    case "boolean":
      return seed % 2 === 0;
    case "array":
      return Array.from({ length: seed % 3 }, (_item, index) => sample(items ?? {}, seed + index));
    case "object":
      return Object.fromEntries(
        Object.entries(properties ?? {})
          .filter(([key], index) => required.includes(key) || (seed + index) % 2 === 0)
          .map(([key, property], index) => [key, sample(property, Math.floor(seed / 2) + index)]),
      );
    case undefined:
    default:
      return null;
  }
}

/** As a service in strict mode answers: every property there, null for what is left out. */
function filled(value: unknown, strict: JsonSchema): unknown {
  const options = (strict["anyOf"] as JsonSchema[] | undefined) ?? [strict];
  if (Array.isArray(value)) {
    const items = options.find((option) => option["type"] === "array")?.["items"] as JsonSchema;
    return value.map((item) => filled(item, items));
  }
  if (typeof value !== "object" || value === null) return value;
  const object = options.find((option) => option["type"] === "object");
  const properties = (object?.["properties"] ?? {}) as Record<string, JsonSchema>;
  const given = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(properties).map(([key, property]) => [
      key,
      key in given ? filled(given[key], property) : null,
    ]),
  );
}
