import { isJsonObject } from "@acumen/core";
import { createRedactor, type Redactor } from "../../redaction/redactor.ts";
import type { ToolInputSchema } from "../../tools/tool.ts";
import { acceptedTypes } from "./schema/accepted-types.ts";
import { argumentCheck } from "./schema/argument-check.ts";
import { callArguments } from "./schema/call-arguments.ts";
import { copySchema } from "./schema/copy-schema.ts";
import { inlineSchema } from "./schema/inline-schema.ts";
import { modelSchema } from "./schema/model-schema.ts";
import { PropertyNames } from "./schema/property-names.ts";

export interface ConvertedSchema {
  readonly ok: true;
  /** For models: an object, self-contained, with names that every provider takes. */
  readonly schema: ToolInputSchema;
  /** What the model wrote in the form that the server wants; nothing becomes `{}`. Not checked. */
  restore(input: unknown): unknown;
  /** What is wrong with restored arguments, for the model. Undefined: nothing, or nobody here can tell. */
  validate(args: Readonly<Record<string, unknown>>): string | undefined;
}

export type SchemaConversion = ConvertedSchema | { readonly ok: false; readonly reason: string };

/**
 * The schema of a server's tool for models, and the way back for what they write. References are put in place and never
 * fetched; the given schema is not changed. What it says in words loses its secrets; names and values that a server expects stay.
 * @param redact default: one that knows the shapes of keys alone
 */
export function convertSchema(raw: unknown, redact: Redactor = createRedactor()): SchemaConversion {
  if (!isJsonObject(raw)) return { ok: false, reason: "Its inputSchema is no JSON object." };
  const copied = copySchema(raw);
  if (!copied.ok) return copied;
  const resolved = inlineSchema(copied.copy);
  if (resolved === undefined) {
    return { ok: false, reason: "Its inputSchema is too large with its references in place." };
  }
  const names = new PropertyNames(resolved);
  if (acceptedTypes(resolved)?.has("object") === false) {
    return { ok: false, reason: 'The root of its inputSchema is no "type": "object".' };
  }
  const schema = modelSchema(resolved, names, redact);
  return {
    ok: true,
    schema,
    restore: (input) => callArguments(input, schema, names),
    validate: (args) => argumentCheck(args, { resolved, shown: schema, names, redact }),
  };
}
