import { isJsonObject, parseJson } from "@acumen/core";
import { acceptedTypes } from "./accepted-types.ts";
import type { Schema } from "./copy-schema.ts";
import type { PropertyNames } from "./property-names.ts";
import { inPlace, propertiesOf } from "./sub-schemas.ts";

const MAX_DEPTH = 64;
const MAX_FORMS = 200;

/**
 * What a model wrote in the form that the server wants: names of properties as the server has them, and objects and lists that
 * were written as a text of JSON as such, where no text could be meant. Nothing is checked.
 * @param schema the form for models
 */
export function callArguments(input: unknown, schema: Schema, names: PropertyNames): unknown {
  if (input === undefined || input === null || input === "") return {};
  return restored(input, [schema], names, MAX_DEPTH);
}

function restored(
  value: unknown,
  schemas: readonly Schema[],
  names: PropertyNames,
  depth: number,
): unknown {
  if (depth === 0 || schemas.length === 0) return value;
  const meant = parsed(value, schemas);
  if (typeof meant !== "object" || meant === null) return meant;
  const forms = formsOf(schemas);
  if (Array.isArray(meant)) {
    const items = forms.map((form) => form["items"]).filter(isJsonObject);
    return meant.map((item) => restored(item, items, names, depth - 1));
  }
  return Object.fromEntries(
    Object.entries(meant).map(([name, item]) => {
      const own = forms.flatMap((form) => {
        const properties = propertiesOf(form);
        const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
        return isJsonObject(property) ? [property] : [];
      });
      if (own.length > 0) return [names.original(name), restored(item, own, names, depth - 1)];
      const more = forms.map((form) => form["additionalProperties"]).filter(isJsonObject);
      return [name, restored(item, more, names, depth - 1)];
    }),
  );
}

/** The object or list that a text is, where one is wanted and no text. */
function parsed(value: unknown, schemas: readonly Schema[]): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  const wanted = schemas.map(acceptedTypes);
  const takesText = wanted.some((types) => types === undefined || types.has("string"));
  if (takesText) return value;
  try {
    const inner = parseJson(value, { maxDepth: MAX_DEPTH });
    const type = Array.isArray(inner) ? "array" : "object";
    return wanted.some((types) => types?.has(type)) ? inner : value;
  } catch {
    return value;
  }
}

/** The schemas with everything in them that applies to the same value. */
function formsOf(schemas: readonly Schema[]): readonly Schema[] {
  const forms = [...schemas];
  for (const form of forms) {
    if (forms.length >= MAX_FORMS) break;
    forms.push(...inPlace(form));
  }
  return forms;
}
