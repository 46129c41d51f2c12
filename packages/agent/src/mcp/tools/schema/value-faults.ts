import { createRedactor } from "../../../redaction/redactor.ts";
import { argumentFaults, type ArgumentFault } from "./argument-faults.ts";
import type { Schema } from "./copy-schema.ts";
import { inlineSchema } from "./inline-schema.ts";

/**
 * Compares a value with a JSON Schema of somebody else: types, required and unknown fields, limits, lists and alternatives. Regular
 * expressions, formats, conditions and negations are not looked at.
 * @returns nothing when the value fits, as far as that can be told
 */
export function valueFaults(value: unknown, schema: Schema): readonly ArgumentFault[] {
  const resolved = inlineSchema(schema);
  return resolved === undefined ? [] : argumentFaults(value, resolved, createRedactor());
}
