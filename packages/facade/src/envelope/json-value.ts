import { z } from "zod";

/** Plain JSON, as it goes over a wire and into a store. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

export type JsonObject = Readonly<Record<string, JsonValue>>;

/** Any JSON object; what an operation takes is checked by its own schema. */
export const jsonObjectSchema = z.record(z.string(), z.json()) as unknown as z.ZodType<JsonObject>;

export function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
