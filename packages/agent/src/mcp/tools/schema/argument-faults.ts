import { isDeepStrictEqual } from "node:util";
import { isJsonObject } from "@acumen/core";
import { redactedHead } from "../../../redaction/redacted-head.ts";
import type { Redactor } from "../../../redaction/redactor.ts";
import type { Schema } from "./copy-schema.ts";
import { knownProperties } from "./known-properties.ts";
import { propertiesOf } from "./sub-schemas.ts";
import {
  isImpossible,
  type TypeName,
  typeOfValue,
  typesOf,
  valueKeywords,
} from "./value-keywords.ts";

/** What is wrong with a value, and where: names of properties and positions in lists. */
export interface ArgumentFault {
  readonly path: readonly string[];
  readonly text: string;
}

const NONE: ReadonlySet<string> = new Set();
const MAX_FAULTS = 20;
const MAX_SHOWN_CHARS = 300;

/**
 * Compares a value with a schema, more leniently than its server will: `pattern`, `patternProperties` and `format` are not
 * looked at, because a regular expression of a server could hold everything up, nor are conditions and negations, nor what
 * nobody described.
 * @param resolved without references, in the words of 2020-12
 */
export function argumentFaults(
  value: unknown,
  resolved: Schema,
  redact: Redactor,
): readonly ArgumentFault[] {
  const faults: ArgumentFault[] = [];
  check(value, resolved, { path: [], outer: NONE, faults, redact });
  return faults;
}

interface Place {
  readonly path: readonly string[];
  /** Names of properties that whatever this is an alternative of has. */
  readonly outer: ReadonlySet<string>;
  readonly faults: ArgumentFault[];
  /** For what is cut. */
  readonly redact: Redactor;
}

function check(value: unknown, node: unknown, place: Place): void {
  if (!isJsonObject(node) || place.faults.length >= MAX_FAULTS) return;
  const types = typesOf(node);
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) {
    return fault(place, `expected ${types.join(" or ")}`);
  }
  checkValues(value, node, place);
  if (typeof value === "number") checkNumber(value, valueKeywords(node), place);
  if (typeof value === "string") checkText(value, valueKeywords(node), place);
  if (Array.isArray(value)) checkList(value, node, place);
  if (isJsonObject(value)) checkObject(value, node, place);
  checkAlternatives(value, node, place);
}

function checkValues(value: unknown, node: Schema, place: Place): void {
  const { enum: values } = node;
  if (Array.isArray(values) && values.length > 0 && !values.some((one) => isEqual(one, value))) {
    fault(place, `expected one of ${short(values, place.redact)}`);
  }
  if (Object.hasOwn(node, "const") && !isEqual(node["const"], value)) {
    fault(place, `expected ${short(node["const"], place.redact)}`);
  }
}

function checkNumber(value: number, limits: Schema, place: Place): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = limits;
  if (isNumber(minimum) && value < minimum) fault(place, `must be at least ${minimum}`);
  if (isNumber(maximum) && value > maximum) fault(place, `must be at most ${maximum}`);
  if (isNumber(exclusiveMinimum) && value <= exclusiveMinimum) {
    fault(place, `must be more than ${exclusiveMinimum}`);
  }
  if (isNumber(exclusiveMaximum) && value >= exclusiveMaximum) {
    fault(place, `must be less than ${exclusiveMaximum}`);
  }
  if (isNumber(multipleOf)) {
    const times = value / multipleOf;
    // 0.07 is a multiple of 0.01.
    if (Math.abs(times - Math.round(times)) > 1e-6) {
      fault(place, `must be a multiple of ${multipleOf}`);
    }
  }
}

function checkText(value: string, { minLength, maxLength }: Schema, place: Place): void {
  if (isNumber(minLength) && value.length < minLength) {
    fault(place, `must have at least ${minLength} characters`);
  }
  // Counted without halves of characters, which costs more.
  if (isNumber(maxLength) && value.length > maxLength && Array.from(value).length > maxLength) {
    fault(place, `must have at most ${maxLength} characters`);
  }
}

function checkList(value: readonly unknown[], node: Schema, place: Place): void {
  const { minItems, maxItems, uniqueItems } = valueKeywords(node);
  if (isNumber(minItems) && value.length < minItems) {
    fault(place, `must have at least ${minItems} items`);
  }
  if (isNumber(maxItems) && value.length > maxItems) {
    fault(place, `must have at most ${maxItems} items`);
  }
  const distinct = new Set(uniqueItems === true ? value.map((item) => JSON.stringify(item)) : []);
  if (uniqueItems === true && distinct.size < value.length) {
    fault(place, "must not have an item twice");
  }
  const { items } = node;
  const positions: readonly unknown[] = Array.isArray(node["prefixItems"])
    ? node["prefixItems"]
    : [];
  if (items === false && value.length > positions.length) {
    fault(place, `must have at most ${positions.length} items`);
  }
  for (const [index, item] of value.entries()) {
    const schema = index < positions.length ? positions[index] : items;
    check(item, schema, below(place, String(index)));
  }
}

function checkObject(value: Schema, node: Schema, place: Place): void {
  const { minProperties, maxProperties } = valueKeywords(node);
  const names = Object.keys(value);
  if (isNumber(minProperties) && names.length < minProperties) {
    fault(place, `must have at least ${minProperties} fields`);
  }
  if (isNumber(maxProperties) && names.length > maxProperties) {
    fault(place, `must have at most ${maxProperties} fields`);
  }
  for (const name of missingNames(value, node, place.outer)) {
    fault(below(place, name), "is missing");
  }
  const properties = propertiesOf(node);
  const { additionalProperties: more, patternProperties } = node;
  const hasPatterns = isJsonObject(patternProperties) && Object.keys(patternProperties).length > 0;
  for (const [name, item] of Object.entries(value)) {
    const inner = below(place, name);
    if (Object.hasOwn(properties, name)) {
      if (!isImpossible(properties[name])) check(item, properties[name], inner);
    } else if (hasPatterns) continue;
    else if (more === false) fault(inner, "unknown field");
    else check(item, more, inner);
  }
}

/** Names that are required, or needed beside one that is there. */
function missingNames(
  value: Schema,
  node: Schema,
  outer: ReadonlySet<string>,
): ReadonlySet<string> {
  const { required, dependentRequired } = node;
  const together = isJsonObject(dependentRequired) ? dependentRequired : {};
  const wanted: readonly unknown[] = [
    required,
    ...Object.entries(together).map(([name, names]) => (Object.hasOwn(value, name) ? names : [])),
  ].flatMap((names): unknown[] => (Array.isArray(names) ? names : []));
  if (wanted.length === 0) return NONE;
  const known = knownProperties(node, outer);
  const missing = wanted.filter(
    (name): name is string =>
      typeof name === "string" && known.has(name) && !Object.hasOwn(value, name),
  );
  return new Set(missing);
}

function checkAlternatives(value: unknown, node: Schema, place: Place): void {
  const unions = ["allOf", "anyOf", "oneOf"].filter((union) => Array.isArray(node[union]));
  if (unions.length === 0) return;
  const outer = knownProperties(node, place.outer);
  for (const union of unions) {
    const parts = node[union] as readonly unknown[];
    if (union === "allOf") {
      for (const part of parts) check(value, part, { ...place, outer });
      continue;
    }
    // More than one may fit: what tells them apart may be something that is not looked at here.
    const each = parts.map((part) => {
      const faults: ArgumentFault[] = [];
      if (isImpossible(part)) fault({ ...place, faults }, "is not possible");
      else check(value, part, { ...place, outer, faults });
      return faults;
    });
    if (each.some((faults) => faults.length === 0)) continue;
    const near = each.filter((faults) => !faults.some(({ path }) => path === place.path));
    const [only] = near;
    if (near.length === 1 && only !== undefined) place.faults.push(...only);
    else fault(place, "has none of the forms that the schema allows");
  }
}

function below(place: Place, name: string): Place {
  return { ...place, path: [...place.path, name], outer: NONE };
}

function fault({ path, faults }: Pick<Place, "path" | "faults">, text: string): void {
  if (faults.length < MAX_FAULTS) faults.push({ path, text });
}

function isOfType(value: unknown, type: TypeName): boolean {
  const actual = typeOfValue(value);
  return actual === type || (type === "number" && actual === "integer");
}

function isEqual(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(one, other) || JSON.stringify(one) === JSON.stringify(other);
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

function short(value: unknown, redact: Redactor): string {
  const text = redactedHead(JSON.stringify(value) ?? "", MAX_SHOWN_CHARS + 1, redact);
  return text.length <= MAX_SHOWN_CHARS ? text : `${text.slice(0, MAX_SHOWN_CHARS)}…`;
}
