import { valueFaults } from "@acumen/agent";
import { isJsonObject } from "@acumen/core";
import type { JsonObject, JsonValue } from "../envelope/json-value.ts";
import { ValidationError } from "../errors/domain-error.ts";
import { dataBlock, plainData } from "./data-block.ts";

/** A name, as it may stand between braces. */
const PLACEHOLDER = /\{\{\s*([A-Za-z_][\w.-]{0,63})\s*\}\}/g;

/** Of all values together, each as often as it is named: a short text may name a long one many times. */
const MAX_FILLED_CHARS = 1_000_000;

/**
 * The arguments with the defaults that the action declares.
 * @throws ValidationError naming each place in `arguments`
 */
export function checkedArguments(
  action: string,
  schema: JsonObject,
  given: JsonObject,
): JsonObject {
  const declared = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const defaults = Object.entries(declared).flatMap(([name, property]): [string, JsonValue][] =>
    isJsonObject(property) && Object.hasOwn(property, "default")
      ? [[name, property["default"] as JsonValue]]
      : [],
  );
  const values: JsonObject = { ...Object.fromEntries(defaults), ...given };
  const faults = valueFaults(values, schema);
  if (faults.length === 0) return values;
  const issues = faults.map(({ path, text }) => ({ path: ["arguments", ...path], message: text }));
  const shown = issues.slice(0, 5).map(({ path, message }) => `${path.join(".")}: ${message}`);
  throw new ValidationError(
    `The arguments do not fit the action ${action}: ${shown.join("; ")}.`,
    issues,
  );
}

/** What is no longer reads as a part of the sentence it stands in. */
const MAX_INLINE_CHARS = 200;

/**
 * Puts values where the text names them, each once: what a value holds is never looked at for placeholders. One line stands in
 * its sentence; a longer text, which may be anybody's, stands between tags that say whose value it is. Names that the action does
 * not declare stay as they are; declared ones without a value become empty.
 * @throws ValidationError when the values, as often as they are named, make it too long
 */
export function filledPrompt(body: string, schema: JsonObject, values: JsonObject): string {
  const declared = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  // Where a value is all of the text, it is the task, and no data about it.
  const isTask = body.trim().replace(PLACEHOLDER, "") === "";
  let left = MAX_FILLED_CHARS;
  return body.replace(PLACEHOLDER, (whole, name: string) => {
    if (!Object.hasOwn(values, name)) return Object.hasOwn(declared, name) ? "" : whole;
    const value = shown(values[name]);
    const text = isTask ? value : embedded(name, value);
    left -= text.length;
    if (left >= 0) return text;
    const message = `the values make the prompt longer than ${MAX_FILLED_CHARS} characters`;
    throw new ValidationError(`The arguments cannot be used: ${message}.`, [
      { path: ["arguments", name], message },
    ]);
  });
}

function embedded(name: string, text: string): string {
  const isInline = text.length <= MAX_INLINE_CHARS && !/[\n\r\u2028\u2029]/.test(text);
  return isInline ? plainData(text) : dataBlock("argument", text, name);
}

function shown(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
