import type { Schema } from "./copy-schema.ts";
import { impliedType, typesOf } from "./value-keywords.ts";

/** Types of values that a part of a schema takes; undefined: any. */
export function acceptedTypes(schema: Schema): ReadonlySet<string> | undefined {
  const named = typesOf(schema);
  if (named.length > 0) return new Set(named);
  for (const union of ["anyOf", "oneOf"]) {
    const parts = schema[union];
    if (!Array.isArray(parts)) continue;
    const each = (parts as Schema[]).map(acceptedTypes);
    const types = each.flatMap((one) => [...(one ?? [])]);
    if (!each.includes(undefined)) return new Set(types);
  }
  if (Array.isArray(schema["allOf"])) {
    for (const part of schema["allOf"] as Schema[]) {
      const types = acceptedTypes(part);
      if (types !== undefined) return types;
    }
  }
  const implied = impliedType(schema);
  return implied && new Set([implied]);
}
