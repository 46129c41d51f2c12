import { isJsonObject } from "@acumen/core";
import { type JsonObject, objectOf } from "../json-read.ts";
import { strictSchemaFault } from "./strict-schema.ts";

/**
 * What the Responses API makes of a function that does not say `strict`: strict mode where its schema can be brought into that
 * form, which makes every optional parameter a required one (guide "Function calling", strict mode; vercel/ai pull 15889).
 */
export function withDefaultStrict(definition: JsonObject): JsonObject {
  const { strict, parameters } = definition;
  if (typeof strict === "boolean" || !isJsonObject(parameters)) return definition;
  const normalised = closed(parameters);
  return strictSchemaFault(normalised) === undefined
    ? { ...definition, parameters: normalised, strict: true }
    : definition;
}

function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (!isJsonObject(schema)) return schema;
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === "properties"
        ? Object.fromEntries(
            Object.entries(objectOf(value)).map(([name, at]) => [name, closed(at)]),
          )
        : ["items", "anyOf"].includes(key)
          ? closed(value)
          : value,
    ]),
  );
  if (schema["type"] !== "object") return inner;
  const { additionalProperties = false } = schema;
  return {
    ...inner,
    additionalProperties,
    required: Object.keys(objectOf(schema["properties"])),
  };
}
