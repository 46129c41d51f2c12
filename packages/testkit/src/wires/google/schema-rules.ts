import { isJsonObject } from "@acumen/core";
import { type JsonObject, listOf, objectOf, shown } from "../json-read.ts";
import type { Report } from "../wire.ts";

/** The fields of the service's `Schema` message: a part of OpenAPI 3.0, not JSON Schema. */
const FIELDS = new Set(
  `type format title description nullable enum maxItems minItems properties required minProperties maxProperties
  minLength maxLength pattern example anyOf propertyOrdering default items minimum maximum`.split(
    /\s+/,
  ),
);
const TYPES = new Set(["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"]);

interface Place {
  /** As the parser names it: map entries by number. */
  readonly payload: string;
  /** As later checks name it: map entries by key. */
  readonly request: string;
}

/** `payload`: e.g. `tools[0].function_declarations[0].parameters`. */
export function checkGoogleSchema(schema: unknown, payload: string, report: Report): void {
  checkNode(schema, { payload, request: `GenerateContentRequest.${payload}` }, report);
}

function checkNode(schema: unknown, place: Place, report: Report): void {
  if (!isJsonObject(schema)) {
    payloadIssue(`Invalid value at '${place.payload}' (Schema)`, place, report);
    return;
  }
  for (const key of Object.keys(schema)) {
    if (FIELDS.has(key)) continue;
    payloadIssue(
      `Invalid JSON payload received. Unknown name "${key}" at '${place.payload}': Cannot find field.`,
      place,
      report,
    );
  }
  const type = checkType(schema, place, report);
  checkEnum(schema, type, place, report);
  checkChildren(schema, type, place, report);
}

function checkType(schema: JsonObject, place: Place, report: Report): string {
  const { type } = schema;
  if (Array.isArray(type)) {
    payloadIssue(
      `Invalid JSON payload received. Unknown name "type" at '${place.payload}': Proto field is not repeating, cannot start list.`,
      place,
      report,
    );
    return "";
  }
  const name = shown(type ?? "").toUpperCase();
  if (type !== undefined && !TYPES.has(name)) {
    payloadIssue(
      `Invalid value at '${place.payload}.type' (type.googleapis.com/google.ai.generativelanguage.v1beta.Type), "${shown(type)}"`,
      place,
      report,
    );
  }
  return name;
}

function checkEnum(schema: JsonObject, type: string, place: Place, report: Report): void {
  if (schema["enum"] === undefined) return;
  for (const [index, value] of listOf(schema["enum"]).entries()) {
    if (typeof value === "string") {
      if (value === "") semantic(`${place.request}.enum[${index}]: cannot be empty`, report);
      continue;
    }
    payloadIssue(
      `Invalid value at '${place.payload}.enum[${index}]' (TYPE_STRING), ${JSON.stringify(value)}`,
      place,
      report,
    );
  }
  if (type !== "STRING" && schema["format"] !== "enum") {
    semantic(`${place.request}.enum: only allowed for STRING type`, report);
  }
}

function checkChildren(schema: JsonObject, type: string, place: Place, report: Report): void {
  const properties = objectOf(schema["properties"]);
  if (schema["properties"] !== undefined && type !== "OBJECT") {
    semantic(`${place.request}.properties: only allowed for OBJECT type`, report);
  }
  for (const [index, key] of listOf(schema["required"]).entries()) {
    if (!(shown(key) in properties)) {
      semantic(`${place.request}.required[${index}]: property is not defined`, report);
    }
  }
  for (const [index, [key, value]] of Object.entries(properties).entries()) {
    const child = {
      payload: `${place.payload}.properties[${index}].value`,
      request: `${place.request}.properties[${key}]`,
    };
    checkNode(value, child, report);
  }
  if (type === "ARRAY" && schema["items"] === undefined) {
    semantic(`${place.request}.items: missing field.`, report);
  }
  if (schema["items"] !== undefined) checkNode(schema["items"], below(place, "items"), report);
  for (const [index, value] of listOf(schema["anyOf"]).entries()) {
    checkNode(value, below(place, `any_of[${index}]`), report);
  }
}

function below(place: Place, step: string): Place {
  return { payload: `${place.payload}.${step}`, request: `${place.request}.${step}` };
}

function payloadIssue(message: string, place: Place, report: Report): void {
  report({ message, param: place.payload, code: "payload" });
}

function semantic(text: string, report: Report): void {
  report({ message: `* ${text}\n` });
}
