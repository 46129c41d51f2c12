import { isJsonObject } from "@acumen/core";
import type { JsonSchema } from "./json-schema.ts";
import { localReference } from "./local-reference.ts";

type Node = Record<string, unknown>;

/** Keywords that strict mode takes; the others only narrow, and the answer is checked against the whole schema anyway. */
const KEPT = new Set(
  "type description enum const anyOf items properties required additionalProperties $ref $defs definitions pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems".split(
    " ",
  ),
);
const FORMATS = new Set<unknown>(
  "date-time time date duration email hostname ipv4 ipv6 uuid".split(" "),
);

/**
 * The schema as OpenAI's strict mode wants it: no open objects, every property required, optional ones nullable instead
 * (`dropAddedNulls` takes the nulls out again). Undefined when it cannot be said that way: maps, free values, tuples,
 * a root that is no object.
 */
export function strictSchema(schema: JsonSchema): JsonSchema | undefined {
  const strict = node(schema);
  return strict?.["type"] === "object" && strict["anyOf"] === undefined ? strict : undefined;
}

function node(value: unknown): Node | undefined {
  if (!isJsonObject(value)) return undefined;
  if (typeof value["$ref"] === "string") return reference(value);
  const kept = Object.fromEntries(Object.entries(value).filter(([key]) => KEPT.has(key)));
  if (kept["format"] !== undefined && !FORMATS.has(kept["format"])) delete kept["format"];
  const union = value["anyOf"] ?? value["oneOf"];
  if (value["allOf"] !== undefined || value["not"] !== undefined) return undefined;
  const described = ["type", "enum", "const"].some((key) => kept[key] !== undefined);
  if (!described && union === undefined) return undefined;
  const parts = [
    union === undefined ? {} : branches(union),
    hasType(value, "object") ? properties(value) : {},
    hasType(value, "array") ? items(value) : {},
    definitions(value),
  ];
  if (parts.includes(undefined)) return undefined;
  return Object.assign(kept, ...parts) as Node;
}

function reference({ $ref, $defs, definitions: old }: Node): Node | undefined {
  const below = definitions({
    ...($defs !== undefined && { $defs }),
    ...(old !== undefined && { definitions: old }),
  });
  return below === undefined ? undefined : { $ref, ...below };
}

function branches(union: unknown): Node | undefined {
  const all = Array.isArray(union) ? union.map(node) : [undefined];
  return all.includes(undefined) ? undefined : { anyOf: all };
}

function items({ items: value }: Node): Node | undefined {
  const item = node(value);
  return item === undefined ? undefined : { items: item };
}

function properties(value: Node): Node | undefined {
  const open = value["additionalProperties"];
  const named = value["properties"];
  if ((open !== undefined && open !== false) || value["patternProperties"] !== undefined)
    return undefined;
  if (named === undefined || !isJsonObject(named)) return undefined;
  const required = requiredOf(value);
  const all: Node = {};
  for (const [key, property] of Object.entries(named)) {
    const strict = node(property);
    if (strict === undefined) return undefined;
    all[key] = required.has(key) ? strict : nullable(strict);
  }
  return { properties: all, required: Object.keys(all), additionalProperties: false };
}

function definitions(value: Node): Node | undefined {
  const result: Node = {};
  for (const keyword of ["$defs", "definitions"]) {
    const map = value[keyword];
    if (!isJsonObject(map)) continue;
    const all = Object.entries(map).map(([key, schema]) => [key, node(schema)] as const);
    if (all.some(([, schema]) => schema === undefined)) return undefined;
    result[keyword] = Object.fromEntries(all);
  }
  return result;
}

function nullable(schema: Node): Node {
  return acceptsNull(schema) ? schema : { anyOf: [schema, { type: "null" }] };
}

/** Removes the nulls that stand for "left out": only where the schema knows the property, does not require it and takes no null. */
export function dropAddedNulls(value: unknown, schema: JsonSchema): unknown {
  return drop(value, schema, schema);
}

function drop(value: unknown, schema: unknown, root: Node): unknown {
  const options = alternatives(schema, root);
  if (Array.isArray(value)) {
    const itemSchemas = options.map((option) => option["items"]).filter(isJsonObject);
    return value.map((item) => drop(item, { anyOf: itemSchemas }, root));
  }
  if (!isJsonObject(value)) return value;
  const kept: Node = {};
  for (const [key, item] of Object.entries(value)) {
    const known = options.filter(
      (option) => isJsonObject(option["properties"]) && key in option["properties"],
    );
    const schemas = known.map((option) => (option["properties"] as Node)[key]);
    const meansAbsent =
      item === null &&
      known.length > 0 &&
      known.every((option) => !requiredOf(option).has(key)) &&
      !schemas.some((option) => alternatives(option, root).some(acceptsNull));
    if (!meansAbsent) kept[key] = drop(item, { anyOf: schemas }, root);
  }
  return kept;
}

/** The schema and what its unions and references lead to. */
function alternatives(schema: unknown, root: Node, depth = 0): Node[] {
  if (!isJsonObject(schema) || depth > 16) return [];
  const target =
    typeof schema["$ref"] === "string" ? localReference(schema["$ref"], root) : undefined;
  const lists = ["anyOf", "oneOf", "allOf"].flatMap((keyword) => {
    const list = schema[keyword];
    return Array.isArray(list) ? (list as unknown[]) : [];
  });
  const below = [...lists, ...(target === undefined ? [] : [target])];
  return [schema, ...below.flatMap((option) => alternatives(option, root, depth + 1))];
}

function acceptsNull(schema: Node): boolean {
  const { type, anyOf } = schema;
  const enumeration = schema["enum"];
  if (type === "null" || (Array.isArray(type) && type.includes("null"))) return true;
  if (Array.isArray(enumeration) && enumeration.includes(null)) return true;
  return (
    Array.isArray(anyOf) && anyOf.some((option) => isJsonObject(option) && acceptsNull(option))
  );
}

function requiredOf(schema: Node): Set<unknown> {
  const { required } = schema;
  return new Set(Array.isArray(required) ? (required as unknown[]) : []);
}

function hasType({ type }: Node, name: string): boolean {
  return type === name || (Array.isArray(type) && type.includes(name));
}
