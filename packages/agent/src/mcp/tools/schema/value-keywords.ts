import type { Schema } from "./copy-schema.ts";

const TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"] as const;
export type TypeName = (typeof TYPES)[number];

const COUNTS = [
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
] as const;
const BOUNDS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] as const;
/** A keyword that says which type is meant where none is named. */
const IMPLIED: readonly (readonly [TypeName, readonly string[]])[] = [
  ["object", ["properties", "additionalProperties", "patternProperties", "propertyNames"]],
  ["object", ["minProperties", "maxProperties"]],
  ["array", ["items", "prefixItems", "contains", "minItems", "maxItems", "uniqueItems"]],
  ["string", ["minLength", "maxLength", "pattern", "format"]],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
];
const UNION_WORDS = ["anyOf", "oneOf", "allOf", "not"];

/** `type`, `enum`, `const` and limits, as far as they are what they should be. */
export function valueKeywords(node: Schema): Schema {
  const types = typesOf(node);
  const values = Array.isArray(node["enum"]) ? distinct(node["enum"]) : [];
  const { multipleOf, uniqueItems } = node;
  return {
    ...(types.length > 0 && { type: types.length === 1 ? types[0] : types }),
    ...(values.length > 0 && { enum: values }),
    ...(Object.hasOwn(node, "const") && { const: node["const"] }),
    ...picked(node, COUNTS, (value) => Number.isSafeInteger(value) && Number(value) >= 0),
    ...picked(node, BOUNDS, (value) => Number.isFinite(value)),
    ...(Number.isFinite(multipleOf) && Number(multipleOf) > 0 && { multipleOf }),
    ...(typeof uniqueItems === "boolean" && { uniqueItems }),
  };
}

/** The types that are named; none when one of them is unknown, because it could stand for any. */
export function typesOf(node: Schema): readonly TypeName[] {
  const { type } = node;
  const named = new Set<unknown>(Array.isArray(type) ? type : [type]);
  const known = TYPES.filter((one) => named.has(one));
  return known.length === named.size ? known : [];
}

/** What must be meant where no type is named; undefined: it may be anything. */
export function impliedType(node: Schema): TypeName | undefined {
  const values: unknown[] = Array.isArray(node["enum"])
    ? node["enum"]
    : Object.hasOwn(node, "const")
      ? [node["const"]]
      : [];
  if (values.length > 0) {
    const types = new Set(values.map(typeOfValue));
    const [first] = types;
    return types.size === 1 ? first : undefined;
  }
  const implied = IMPLIED.find(([, words]) => words.some((word) => Object.hasOwn(node, word)));
  if (implied === undefined) return undefined;
  const isUnion = UNION_WORDS.some((word) => Object.hasOwn(node, word));
  return isUnion && !Object.hasOwn(node, "properties") ? undefined : implied[0];
}

export function typeOfValue(value: unknown): TypeName {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return "object";
}

/** Nothing at all can be a value of it. */
export function isImpossible(node: unknown): boolean {
  if (typeof node !== "object" || node === null) return node === false;
  const { enum: values } = node as { readonly enum?: unknown };
  return Array.isArray(values) && values.length === 0;
}

function picked(
  node: Schema,
  words: readonly string[],
  isFit: (value: unknown) => boolean,
): Schema {
  return Object.fromEntries(
    words.flatMap((word) => (isFit(node[word]) ? [[word, node[word]]] : [])),
  );
}

function distinct(values: readonly unknown[]): readonly unknown[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}
