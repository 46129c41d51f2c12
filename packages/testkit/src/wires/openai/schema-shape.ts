import { isJsonObject } from "@acumen/core";
import { type JsonObject, objectOf } from "../json-read.ts";

const MAPS = ["properties", "$defs", "definitions", "patternProperties"];
const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"];
const SINGLES = ["items", "additionalProperties", "not", "if", "then", "else"];

/**
 * The first part that is no JSON Schema at all, strict mode or not, in the words that the service takes from its validator.
 * Sources: FoundationAgents/OpenManus issue 1162 (`[] is not of type 'object', 'boolean'`), maltekuhr/laravel-gpt issue 8.
 */
export function schemaShapeFault(schema: unknown): string | undefined {
  if (typeof schema === "boolean") return undefined;
  if (!isJsonObject(schema)) return notOfType(schema, "'object', 'boolean'");
  return ownFault(schema) ?? firstFault(childrenOf(schema));
}

function ownFault(schema: JsonObject): string | undefined {
  const { required, type } = schema;
  const values = schema["enum"];
  if (required !== undefined && !Array.isArray(required)) return notOfType(required, "'array'");
  if (Array.isArray(required) && new Set(required).size < required.length) {
    return `${python(required)} has non-unique elements.`;
  }
  if (values !== undefined && !Array.isArray(values)) return notOfType(values, "'array'");
  if (Array.isArray(type) && type.length === 0)
    return "[] is not valid under any of the given schemas.";
  for (const key of MAPS) {
    const map = schema[key];
    if (map !== undefined && !isJsonObject(map)) return notOfType(map, "'object'");
  }
  for (const key of LISTS) {
    const list = schema[key];
    if (list !== undefined && !Array.isArray(list)) return notOfType(list, "'array'");
  }
  return undefined;
}

function* childrenOf(schema: JsonObject): Generator<unknown> {
  for (const key of MAPS) yield* Object.values(objectOf(schema[key]));
  for (const key of LISTS) yield* (schema[key] ?? []) as unknown[];
  for (const key of SINGLES) if (schema[key] !== undefined) yield schema[key];
}

function firstFault(schemas: Iterable<unknown>): string | undefined {
  for (const schema of schemas) {
    const fault = schemaShapeFault(schema);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function notOfType(value: unknown, types: string): string {
  return `${python(value)} is not of type ${types}.`;
}

/** Values as that service's validator prints them. */
function python(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  return (JSON.stringify(value) ?? "None").replaceAll('"', "'");
}
