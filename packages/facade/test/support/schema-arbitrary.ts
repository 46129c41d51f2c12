import fc from "fast-check";
import type { JsonObject, JsonValue } from "../../src/envelope/json-value.ts";

const ANYTHING = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>;

/** Real things to name, by the keys under which requests name them. */
export type KnownValues = Readonly<Record<string, readonly JsonValue[]>>;

/** Values that a JSON Schema of ours allows, with real ids in the places for ids. */
export function valuesOf(schema: JsonObject, ids: KnownValues, name = ""): fc.Arbitrary<JsonValue> {
  const known = ids[name];
  const any = plainValuesOf(schema, ids);
  return known === undefined
    ? any
    : fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...known) }, any);
}

function plainValuesOf(schema: JsonObject, ids: KnownValues): fc.Arbitrary<JsonValue> {
  const { const: only, enum: choice, anyOf, oneOf, type } = schema;
  if (only !== undefined) return fc.constant(only);
  if (Array.isArray(choice)) return fc.constantFrom(...(choice as JsonValue[]));
  const variants = anyOf ?? oneOf;
  if (Array.isArray(variants)) {
    return fc.oneof(...variants.map((variant) => valuesOf(variant as JsonObject, ids)));
  }
  if (Array.isArray(type)) {
    return fc.oneof(...type.map((each) => plainValuesOf({ ...schema, type: each as string }, ids)));
  }
  if (type === "string") return textsOf(schema);
  if (type === "integer") return integersOf(schema);
  if (type === "number") return fc.double({ noNaN: true, noDefaultInfinity: true });
  if (type === "boolean") return fc.boolean();
  if (type === "null") return fc.constant(null);
  if (type === "array") {
    const items = valuesOf((schema["items"] ?? {}) as JsonObject, ids);
    const minLength = numberOf(schema["minItems"], 0);
    return fc.array(items, { minLength, maxLength: Math.max(minLength, 4) });
  }
  return type === "object" ? objectsOf(schema, ids) : ANYTHING;
}

function objectsOf(
  { properties = {}, required = [] }: JsonObject,
  ids: KnownValues,
): fc.Arbitrary<JsonValue> {
  const entries = Object.entries(properties as Readonly<Record<string, JsonObject>>);
  const model = Object.fromEntries(
    entries.map(([name, schema]) => [name, valuesOf(schema, ids, name)]),
  );
  const requiredKeys = Object.keys(model).filter((name) => (required as string[]).includes(name));
  return fc.record(model, { requiredKeys }) as fc.Arbitrary<JsonValue>;
}

function textsOf({ minLength, maxLength, pattern }: JsonObject): fc.Arbitrary<string> {
  if (typeof pattern === "string") return fc.stringMatching(new RegExp(pattern));
  const least = numberOf(minLength, 0);
  const most = Math.max(least, Math.min(numberOf(maxLength, 40), 40));
  return fc
    .string({ minLength: least, maxLength: most, unit: "grapheme" })
    .filter((text) => text.length >= least && text.length <= numberOf(maxLength, 10_000));
}

function integersOf({ minimum, maximum, exclusiveMinimum }: JsonObject): fc.Arbitrary<number> {
  const least = numberOf(minimum, numberOf(exclusiveMinimum, 0) + 1);
  return fc.integer({ min: least, max: Math.min(numberOf(maximum, 1_000_000), 2 ** 31 - 1) });
}

function numberOf(value: JsonValue | undefined, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

/** The same with something wrong at some place: an odd value, an unknown or a missing key. */
export function broken(value: JsonValue): fc.Arbitrary<JsonValue> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return ANYTHING;
  const object = value as JsonObject;
  const names = Object.keys(object);
  const odd = fc.oneof(
    ANYTHING,
    fc.constantFrom<JsonValue>(
      "",
      -1,
      2 ** 53,
      1e308,
      "\u0000",
      "../../etc/passwd",
      "x".repeat(5_000),
    ),
  );
  const key = fc.constantFrom("__proto__", "constructor", "toString", "extra", "", ...names);
  const placed = fc.tuple(key, odd).map(([name, bad]) => withKey(object, name, bad));
  const missing = fc
    .constantFrom(...(names.length > 0 ? names : ["none"]))
    .map((name) => Object.fromEntries(Object.entries(object).filter(([each]) => each !== name)));
  return fc.oneof(placed, placed, missing);
}

/** As JSON.parse does it: `__proto__` is a key like any other. */
function withKey(object: JsonObject, name: string, value: JsonValue): JsonObject {
  const entries = [...Object.entries(object).filter(([each]) => each !== name), [name, value]];
  return Object.fromEntries(entries) as JsonObject;
}
