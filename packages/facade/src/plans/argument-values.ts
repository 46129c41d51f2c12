import { valueFaults } from "@acumen/agent";
import { isJsonObject } from "@acumen/core";
import type { JsonObject, JsonValue } from "../envelope/json-value.ts";
import { ValidationError } from "../errors/domain-error.ts";

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

/**
 * Puts values where the text names them, each once: what a value holds is never looked at for placeholders. Names that the action does
 * not declare stay as they are; declared ones without a value become empty.
 * @throws ValidationError when the values, as often as they are named, make it too long
 */
export function filledPrompt(body: string, schema: JsonObject, values: JsonObject): string {
  const declared = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  let left = MAX_FILLED_CHARS;
  return body.replace(PLACEHOLDER, (whole, name: string) => {
    if (!Object.hasOwn(values, name)) return Object.hasOwn(declared, name) ? "" : whole;
    const text = shown(values[name]);
    left -= text.length;
    if (left >= 0) return text;
    const message = `the values make the prompt longer than ${MAX_FILLED_CHARS} characters`;
    throw new ValidationError(`The arguments cannot be used: ${message}.`, [
      { path: ["arguments", name], message },
    ]);
  });
}

function shown(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
