import { isJsonObject } from "@acumen/core";
import type { ToolInputSchema } from "../../tools/tool.ts";

export interface ConvertedSchema {
  readonly ok: true;
  /** For models: an object, self-contained, with names that every provider takes. */
  readonly schema: ToolInputSchema;
  /** What the model wrote in the form that the server wants; nothing becomes `{}`. Not checked. */
  restore(input: unknown): unknown;
  /** What is wrong with restored arguments, for the model. Undefined: nothing, or nobody here can tell. */
  validate(args: Readonly<Record<string, unknown>>): Promise<string | undefined>;
}

export type SchemaConversion = ConvertedSchema | { readonly ok: false; readonly reason: string };

/** The schema of a server's tool for models, and the way back for what they write. Nothing is fetched. */
export function convertSchema(raw: unknown): SchemaConversion {
  if (!isJsonObject(raw)) return { ok: false, reason: "Its inputSchema is no JSON object." };
  if ("type" in raw && raw["type"] !== "object") {
    return { ok: false, reason: "The root of its inputSchema is no object." };
  }
  const properties = isJsonObject(raw["properties"]) ? raw["properties"] : {};
  return {
    ok: true,
    schema: { ...structuredClone(raw), type: "object", properties },
    restore: (input) => input ?? {},
    validate: () => Promise.resolve(undefined),
  };
}
