import { isJsonObject } from "@acumen/core";
import type { Schema } from "./copy-schema.ts";
import { inPlace, propertiesOf } from "./sub-schemas.ts";
import { isImpossible } from "./value-keywords.ts";

/** Names that a part of a schema may require: its own, those of its alternatives, and those of what it is an alternative of. */
export function knownProperties(schema: Schema, outer: ReadonlySet<string>): ReadonlySet<string> {
  const known = new Set(outer);
  add(schema, known);
  return known;
}

function add(schema: Schema, known: Set<string>): void {
  for (const [key, property] of Object.entries(propertiesOf(schema))) {
    if (!isImpossible(property)) known.add(key);
  }
  for (const part of inPlace(schema)) add(part, known);
}

/** A condition may ask for names that nothing describes: without them it would say something else. */
export function namesForTest(
  keyword: string,
  test: Schema,
  known: ReadonlySet<string>,
): ReadonlySet<string> {
  if (keyword !== "not" && keyword !== "if") return known;
  const names = new Set(known);
  const tests = [test];
  for (const part of tests) {
    if (Array.isArray(part["required"])) for (const name of part["required"]) names.add(name);
    tests.push(...inPlace(part));
    if (isJsonObject(part["not"])) tests.push(part["not"]);
  }
  return names;
}
