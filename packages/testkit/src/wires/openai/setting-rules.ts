import { type JsonObject, optionalNumber, shown } from "../json-read.ts";
import type { Report } from "../wire.ts";
import { isReasoningModel } from "./model-traits.ts";

/** Temperature: 0 to 2, and not at all for models that think (unless they were told not to). */
export function checkTemperature(
  body: JsonObject,
  model: string,
  effort: unknown,
  report: Report,
): void {
  const value = body["temperature"];
  if (value === undefined || value === null) return;
  const temperature = optionalNumber(value);
  const param = "temperature";
  if (isReasoningModel(model) && effort !== "none" && temperature !== 1) {
    report({
      message: `Unsupported value: 'temperature' does not support ${shown(value)} with this model. Only the default (1) value is supported.`,
      param,
      code: "unsupported_value",
    });
  } else if (temperature === undefined) {
    report({
      message: `Invalid type for 'temperature': expected a decimal, but got ${typeof value} instead.`,
      param,
      code: "invalid_type",
    });
  } else if (temperature < 0) {
    report({
      message: `Invalid 'temperature': decimal below minimum value. Expected a value >= 0, but got ${temperature} instead.`,
      param,
      code: "decimal_below_min_value",
    });
  } else if (temperature > 2) {
    report({
      message: `Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got ${temperature} instead.`,
      param,
      code: "decimal_above_max_value",
    });
  }
}

export function checkMinimum(
  body: JsonObject,
  param: string,
  minimum: number,
  report: Report,
): void {
  const value = body[param];
  if (value === undefined || value === null) return;
  const count = optionalNumber(value);
  if (count === undefined || !Number.isInteger(count)) {
    report({
      message: `Invalid type for '${param}': expected an integer, but got ${typeof value} instead.`,
      param,
      code: "invalid_type",
    });
  } else if (count < minimum) {
    report({
      message: `Invalid '${param}': integer below minimum value. Expected a value >= ${minimum}, but got ${count} instead.`,
      param,
      code: "integer_below_min_value",
    });
  }
}

export function checkKnownParameters(
  body: JsonObject,
  known: ReadonlySet<string>,
  report: Report,
): void {
  const unknown = Object.keys(body).find((key) => !known.has(key));
  if (unknown === undefined) return;
  report({
    message: `Unknown parameter: '${unknown}'.`,
    param: unknown,
    code: "unknown_parameter",
  });
}
