import { isJsonObject } from "@acumen/core";
import { type JsonObject, listOf, objectOf } from "./json-read.ts";

export interface SchemaNode {
  readonly schema: JsonObject;
  /** Keywords and keys from the root, e.g. `["properties", "paths", "items"]`. */
  readonly path: readonly string[];
}

const MAP_KEYWORDS = ["properties", "$defs", "definitions", "patternProperties"];
const LIST_KEYWORDS = ["anyOf", "oneOf", "allOf", "prefixItems"];
const SINGLE_KEYWORDS = ["items", "additionalProperties", "not", "if", "then", "else"];

/** Every schema object inside a schema, the root first. References are not followed: their targets are inside too. */
export function* schemaNodes(root: unknown, path: readonly string[] = []): Generator<SchemaNode> {
  if (!isJsonObject(root)) return;
  yield { schema: root, path };
  for (const keyword of MAP_KEYWORDS) {
    for (const [key, value] of Object.entries(objectOf(root[keyword]))) {
      yield* schemaNodes(value, [...path, keyword, key]);
    }
  }
  for (const keyword of LIST_KEYWORDS) {
    for (const [index, value] of listOf(root[keyword]).entries()) {
      yield* schemaNodes(value, [...path, keyword, String(index)]);
    }
  }
  for (const keyword of SINGLE_KEYWORDS) yield* schemaNodes(root[keyword], [...path, keyword]);
}

/** Whether `type` names this type, alone or in a list. */
export function hasType(schema: JsonObject, type: string): boolean {
  return schema["type"] === type || listOf(schema["type"]).includes(type);
}

/** Whether a definition refers to itself, directly or through others. */
export function hasReferenceCycle(root: unknown): boolean {
  const definitions = {
    ...objectOf(objectOf(root)["definitions"]),
    ...objectOf(objectOf(root)["$defs"]),
  };
  const referred = (schema: unknown): string[] =>
    [...schemaNodes(schema)].flatMap(({ schema: node }) =>
      typeof node["$ref"] === "string" ? (node["$ref"].split("/").at(-1) ?? []) : [],
    );
  const reaches = (from: string, target: string, seen: Set<string>): boolean =>
    referred(definitions[from]).some((next) => {
      if (next === target) return true;
      if (seen.has(next)) return false;
      seen.add(next);
      return reaches(next, target, seen);
    });
  return Object.keys(definitions).some((name) => reaches(name, name, new Set()));
}
