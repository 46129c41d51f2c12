import { isJsonObject } from "@acumen/core";

/** A schema, or a schema inside of one. */
export type SchemaNode = Record<string, unknown>;

const MAPS = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems", "items"];
const SINGLES = [
  "items",
  "additionalItems",
  "additionalProperties",
  "propertyNames",
  "contains",
  "not",
  "if",
  "then",
  "else",
];

export function objectOf(value: unknown): SchemaNode {
  return isJsonObject(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textsOf(value: unknown): string[] {
  return listOf(value).filter((entry) => typeof entry === "string");
}

export function typesOf({ type }: SchemaNode): string[] {
  return typeof type === "string" ? [type] : textsOf(type);
}

/** The keywords that are set, in the order of `from`. */
export function pick(from: SchemaNode, keys: readonly string[]): SchemaNode {
  return Object.fromEntries(Object.entries(from).filter(([key]) => keys.includes(key)));
}

export function without(from: SchemaNode, keys: readonly string[]): SchemaNode {
  return Object.fromEntries(Object.entries(from).filter(([key]) => !keys.includes(key)));
}

/** From the leaves up; what `change` returns takes the place of each schema. The original stays as it is. */
export function mapSchemas(
  schema: SchemaNode,
  change: (node: SchemaNode) => SchemaNode,
): SchemaNode {
  const below = (value: unknown): unknown =>
    isJsonObject(value) ? mapSchemas(value, change) : value;
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (Array.isArray(value)) return [key, LISTS.includes(key) ? value.map(below) : value];
    if (!isJsonObject(value)) return [key, value];
    if (MAPS.includes(key)) {
      return [
        key,
        Object.fromEntries(Object.entries(value).map(([name, at]) => [name, below(at)])),
      ];
    }
    return [key, SINGLES.includes(key) ? below(value) : value];
  });
  return change(Object.fromEntries(entries));
}

/** Says behind the description what the schema cannot say. */
export function withNote(schema: SchemaNode, note: string | undefined): SchemaNode {
  if (note === undefined || note === "") return schema;
  const { description } = schema;
  const before = typeof description === "string" && description !== "" ? `${description} ` : "";
  return { ...schema, description: `${before}[${note}]` };
}

const MAX_NOTE = 400;

/** Values as JSON, for a note; a long list is cut. */
export function valuesText(values: readonly unknown[]): string {
  return cut(values.map((value) => JSON.stringify(value) ?? "null").join(", "));
}

export function cut(text: string): string {
  return text.length <= MAX_NOTE ? text : `${text.slice(0, MAX_NOTE - 2)} …`;
}
