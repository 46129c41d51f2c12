import { isJsonObject } from "@acumen/core";

/** Keywords that the check of arguments does not look at: an action that relies on one would take what it forbids. */
const UNCHECKED = new Set([
  "pattern",
  "patternProperties",
  "propertyNames",
  "not",
  "if",
  "then",
  "else",
]);
/** Under these stand names, and a schema below each. */
const NAMED = new Set(["properties", "$defs", "definitions", "dependentSchemas"]);
/** Under these stand values. */
const VALUES = new Set([
  "default",
  "const",
  "enum",
  "examples",
  "required",
  "description",
  "title",
]);

/** The first keyword of a JSON Schema that would not be checked, also a reference that leaves the schema; undefined: none. */
export function uncheckedKeyword(schema: unknown): string | undefined {
  if (Array.isArray(schema)) return firstOf(schema);
  if (!isJsonObject(schema)) return undefined;
  for (const [keyword, value] of Object.entries(schema)) {
    if (VALUES.has(keyword)) continue;
    if (UNCHECKED.has(keyword)) return keyword;
    if (keyword === "$ref" && !(typeof value === "string" && value.startsWith("#"))) return "$ref";
    const below = NAMED.has(keyword) && isJsonObject(value) ? Object.values(value) : [value];
    const found = firstOf(below);
    if (found !== undefined) return found;
  }
  return undefined;
}

function firstOf(schemas: readonly unknown[]): string | undefined {
  for (const schema of schemas) {
    const found = uncheckedKeyword(schema);
    if (found !== undefined) return found;
  }
  return undefined;
}
