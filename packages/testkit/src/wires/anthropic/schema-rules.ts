import { isJsonObject } from "@acumen/core";
import { Ajv2020 } from "ajv/dist/2020.js";
import { type JsonObject, listOf, objectOf } from "../json-read.ts";
import { hasReferenceCycle, hasType, schemaNodes } from "../schema-walk.ts";

const PROPERTY_KEY = /^[a-zA-Z0-9_.-]{1,64}$/;
const MAX_OPTIONAL = 24;

/** Keywords that constrained decoding does not take, by type. */
const UNSUPPORTED: Record<string, readonly string[]> = {
  string: ["maxLength", "minLength"],
  integer: ["exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"],
  number: ["exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"],
  array: ["maxItems", "uniqueItems"],
};

let metaSchema: Ajv2020 | undefined;

/** The first rule for a tool's input schema that is broken, as `suffix: text`. */
export function inputSchemaFault(schema: unknown): string | undefined {
  if (schema === undefined) return ": Field required";
  if (!isJsonObject(schema)) return ": Input should be a valid dictionary";
  if (schema["type"] === undefined) return ".type: Field required";
  if (schema["type"] !== "object") return ".type: Input should be 'object'";
  if (["oneOf", "allOf", "anyOf"].some((key) => schema[key] !== undefined)) {
    return ": input_schema does not support oneOf, allOf, or anyOf at the top level";
  }
  const keys = Object.keys(objectOf(schema["properties"]));
  if (keys.some((key) => !PROPERTY_KEY.test(key))) {
    return ".properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'";
  }
  if (!isDraft2020(schema)) {
    return ": JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12).";
  }
  return undefined;
}

/** The first rule of structured outputs that is broken; also holds for tools with `strict`. */
export function outputSchemaFault(schema: unknown): string | undefined {
  if (hasReferenceCycle(schema)) return "Circular reference detected in schema definitions";
  let optional = 0;
  for (const { schema: node } of schemaNodes(schema)) {
    const fault = nodeFault(node);
    if (fault !== undefined) return fault;
    const required = listOf(node["required"]);
    optional += Object.keys(objectOf(node["properties"])).filter(
      (key) => !required.includes(key),
    ).length;
  }
  return optional > MAX_OPTIONAL
    ? `Schemas contains too many optional parameters (${optional}), which would make grammar compilation inefficient. Reduce the number of optional parameters in your tool schemas (limit: ${MAX_OPTIONAL}).`
    : undefined;
}

function nodeFault(node: JsonObject): string | undefined {
  if (node["oneOf"] !== undefined) return "Schema type 'oneOf' is not supported";
  if (hasType(node, "object") && node["additionalProperties"] !== false) {
    return "For 'object' type, 'additionalProperties' must be explicitly set to false";
  }
  for (const [type, keywords] of Object.entries(UNSUPPORTED)) {
    if (!hasType(node, type)) continue;
    const found = keywords.filter((keyword) => node[keyword] !== undefined);
    if (found.length > 0) {
      return `For '${type}' type, properties ${found.join(", ")} are not supported`;
    }
  }
  const minItems = node["minItems"];
  return minItems === undefined || minItems === 0 || minItems === 1
    ? undefined
    : "For 'array' type, 'minItems' values other than 0 or 1 are not supported";
}

function isDraft2020(schema: JsonObject): boolean {
  metaSchema ??= new Ajv2020({ strict: false, validateFormats: false, logger: false });
  // A schema may name another draft; the service judges it by this one all the same.
  const { $schema: _draft, ...rest } = schema;
  return metaSchema.validateSchema(rest) === true;
}
