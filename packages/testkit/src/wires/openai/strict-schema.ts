import { type JsonObject, listOf, objectOf, shown } from "../json-read.ts";
import { hasType, schemaNodes } from "../schema-walk.ts";
import { schemaShapeFault } from "./schema-shape.ts";

/** Keywords that the service's strict mode refuses (guide "Structured outputs", supported schemas). */
const REFUSED = [
  "allOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "dependentRequired",
  "dependentSchemas",
  "patternProperties",
  "unevaluatedProperties",
  "propertyNames",
  "minProperties",
  "maxProperties",
  "uniqueItems",
  "contains",
  "minLength",
  "maxLength",
  "default",
];
const FORMATS = new Set([
  "date-time",
  "time",
  "date",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "uuid",
]);
const MAX_DEPTH = 10;

/** The first rule of strict mode that a schema breaks, in the service's words; undefined when it fits. */
export function strictSchemaFault(schema: unknown): string | undefined {
  const root = objectOf(schema);
  if (root["type"] !== "object") {
    return `schema must be a JSON Schema of 'type: "object"', got 'type: "${typeName(root["type"])}"'.`;
  }
  if (root["anyOf"] !== undefined) return inContext([], "'anyOf' is not permitted.");
  for (const { schema: node, path } of schemaNodes(root)) {
    const fault = nodeFault(node, path);
    if (fault !== undefined) return inContext(path, fault);
  }
  return undefined;
}

/** Rules that hold for every function, strict or not. */
export function functionSchemaFault(schema: unknown): string | undefined {
  const shape = schemaShapeFault(schema);
  if (shape !== undefined) return shape;
  const root = objectOf(schema);
  const type = root["type"];
  if (type !== "object") {
    return `schema must be a JSON Schema of 'type: "object"', got 'type: "${typeName(type)}"'.`;
  }
  const union = ["oneOf", "anyOf", "allOf", "enum", "not"].some((key) => root[key] !== undefined);
  if (union) {
    return "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.";
  }
  if (root["properties"] === undefined) return inContext([], "object schema missing properties.");
  for (const { schema: node, path } of schemaNodes(root)) {
    if (hasType(node, "array") && node["items"] === undefined) {
      const types = node["type"];
      // A type in a list is named by its place there (campfirein/byterover-cli issue 42).
      const at = Array.isArray(types) ? ["type", String(types.indexOf("array"))] : [];
      return inContext([...path, ...at], "array schema missing items.");
    }
  }
  return undefined;
}

function nodeFault(node: JsonObject, path: readonly string[]): string | undefined {
  const refused = REFUSED.find((keyword) => node[keyword] !== undefined);
  if (refused !== undefined) return `'${refused}' is not permitted.`;
  if (node["$ref"] !== undefined) return referenceFault(node);
  if (path.filter((part) => part === "properties").length > MAX_DEPTH) {
    return `schema exceeds the limit of ${MAX_DEPTH} levels of nesting.`;
  }
  const described = ["type", "enum", "const", "anyOf"].some((key) => node[key] !== undefined);
  if (!described) return "schema must have a 'type' key.";
  if (hasType(node, "object")) return objectFault(node);
  if (hasType(node, "array") && node["items"] === undefined) return "array schema missing items.";
  const format = node["format"];
  if (format !== undefined && !FORMATS.has(shown(format))) {
    return `'${shown(format)}' is not a valid format.`;
  }
  return undefined;
}

function referenceFault(node: JsonObject): string | undefined {
  const siblings = Object.keys(node).filter((key) => key !== "$ref" && key !== "$defs");
  return siblings.length === 0
    ? undefined
    : `$ref cannot have keywords {${siblings.map((key) => `'${key}'`).join(", ")}}.`;
}

function objectFault(node: JsonObject): string | undefined {
  if (node["additionalProperties"] !== false) {
    return "'additionalProperties' is required to be supplied and to be false.";
  }
  const keys = Object.keys(objectOf(node["properties"]));
  const required = listOf(node["required"]);
  const missing = keys.find((key) => !required.includes(key));
  if (missing !== undefined) {
    return `'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`;
  }
  const extra = required.find((key) => !keys.includes(shown(key)));
  return extra === undefined ? undefined : `Extra required key '${shown(extra)}' supplied.`;
}

function inContext(path: readonly string[], text: string): string {
  const parts = path.map((part) => `'${part}'`);
  return `In context=(${parts.length === 1 ? `${parts[0]},` : parts.join(", ")}), ${text}`;
}

function typeName(type: unknown): string {
  return type === undefined || type === null ? "None" : shown(type);
}
