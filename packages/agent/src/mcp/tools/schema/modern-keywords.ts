import { isJsonObject } from "@acumen/core";
import type { Schema } from "./copy-schema.ts";

/** One part of a schema in the words of 2020-12, whatever draft it was written in. Its own parts stay as they are. */
export function modernKeywords(schema: Schema): Schema {
  const node: Record<string, unknown> = { ...schema };
  bound(node, "minimum", "exclusiveMinimum");
  bound(node, "maximum", "exclusiveMaximum");
  rename(node, "divisibleBy", "multipleOf");
  tuple(node);
  required(node);
  dependencies(node);
  return node["nullable"] === true ? nullable(node) : node;
}

/** Draft-04: `exclusiveMinimum: true` says something about `minimum`. */
function bound(node: Record<string, unknown>, limit: string, exclusive: string): void {
  if (typeof node[exclusive] !== "boolean") return;
  if (node[exclusive] && typeof node[limit] === "number") rename(node, limit, exclusive);
  else delete node[exclusive];
}

function rename(node: Record<string, unknown>, from: string, to: string): void {
  if (!Object.hasOwn(node, from)) return;
  node[to] = node[from];
  delete node[from];
}

function tuple(node: Record<string, unknown>): void {
  if (!Array.isArray(node["items"])) return;
  node["prefixItems"] = node["items"];
  delete node["items"];
  rename(node, "additionalItems", "items");
}

/** Draft-03 says `required: true` in the property. */
function required(node: Record<string, unknown>): void {
  const listed = Array.isArray(node["required"]) ? (node["required"] as unknown[]) : [];
  const properties = isJsonObject(node["properties"]) ? node["properties"] : {};
  const marked = Object.entries(properties).flatMap(([key, property]) =>
    isJsonObject(property) && property["required"] === true ? [key] : [],
  );
  const names = [...listed, ...marked].filter((name) => typeof name === "string");
  delete node["required"];
  if (names.length > 0) node["required"] = [...new Set(names)];
}

function dependencies(node: Record<string, unknown>): void {
  const old = node["dependencies"];
  if (!isJsonObject(old)) return;
  delete node["dependencies"];
  const entries = Object.entries(old);
  const names = entries.filter(([, needed]) => Array.isArray(needed));
  const schemas = entries.filter(([, needed]) => !Array.isArray(needed));
  if (names.length > 0) node["dependentRequired"] ??= Object.fromEntries(names);
  if (schemas.length > 0) node["dependentSchemas"] ??= Object.fromEntries(schemas);
}

/** OpenAPI's word for a type with null. */
function nullable({ nullable: _said, ...node }: Record<string, unknown>): Schema {
  const { type } = node;
  const types: unknown[] = Array.isArray(type) ? type : type === undefined ? [] : [type];
  if (Array.isArray(node["enum"])) node["enum"] = [...(node["enum"] as unknown[]), null];
  if (types.length > 0) return { ...node, type: [...types, "null"] };
  for (const union of ["anyOf", "oneOf"]) {
    if (Array.isArray(node[union])) {
      return { ...node, [union]: [...(node[union] as unknown[]), { type: "null" }] };
    }
  }
  return node;
}
