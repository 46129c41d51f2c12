import { isJsonObject } from "@acumen/core";
import type { Schema } from "./copy-schema.ts";

export const UNIONS = ["anyOf", "oneOf", "allOf"] as const;
/** Apply to the same value as what they stand in. */
export const CONDITIONS = ["if", "then", "else"] as const;
const LISTS = new Set<string>([...UNIONS, "prefixItems"]);
const MAPS = new Set(["properties", "patternProperties", "dependentSchemas"]);
const SINGLE = new Set<string>([
  ...CONDITIONS,
  "items",
  "additionalProperties",
  "not",
  "contains",
  "propertyNames",
]);

/** The same schema with other parts. What is no schema where one should be is left out. */
export function mapSubSchemas(schema: Schema, map: (part: unknown) => unknown): Schema {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
      if (SINGLE.has(keyword)) return isSchema(value) ? [[keyword, map(value)]] : [];
      if (LISTS.has(keyword)) {
        const parts = Array.isArray(value) ? value.filter(isSchema) : [];
        return parts.length === 0 ? [] : [[keyword, parts.map(map)]];
      }
      if (!MAPS.has(keyword)) return [[keyword, value]];
      if (!isJsonObject(value)) return [];
      const parts = Object.entries(value).map(([key, part]) => [
        key,
        isSchema(part) ? map(part) : {},
      ]);
      return [[keyword, Object.fromEntries(parts)]];
    }),
  );
}

/** Parts that apply to the same value. */
export function inPlace(schema: Schema): readonly Schema[] {
  const parts: unknown[] = [
    ...UNIONS.flatMap((keyword) => (Array.isArray(schema[keyword]) ? schema[keyword] : [])),
    ...CONDITIONS.map((keyword) => schema[keyword]),
  ];
  return parts.filter(isJsonObject);
}

export function propertiesOf(schema: Schema): Schema {
  return isJsonObject(schema["properties"]) ? schema["properties"] : {};
}

function isSchema(value: unknown): value is Schema | boolean {
  return isJsonObject(value) || typeof value === "boolean";
}
