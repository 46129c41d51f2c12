import { isJsonObject } from "@acumen/core";
import { localReference } from "../json/local-reference.ts";
import { googleValues } from "./google-values.ts";
import { asOneObject, hasShapes } from "./object-root.ts";
import {
  cut,
  listOf,
  objectOf,
  pick,
  type SchemaNode,
  textsOf,
  typesOf,
  without,
  withNote,
} from "./schema-node.ts";

/** Levels of objects and lists. The service has a limit and does not say which. */
const MAX_LEVELS = 8;
const MAX_PARTS = 4_000;
/** Any value; the service wants a type everywhere. */
const ANYTHING: SchemaNode = {
  anyOf: [{ type: "string" }, { type: "number" }, { type: "boolean" }, { type: "object" }],
};
const OBJECT_KEYS = [
  "properties",
  "required",
  "additionalProperties",
  "patternProperties",
  "propertyNames",
  "dependentRequired",
];
const ARRAY_KEYS = ["items", "prefixItems", "additionalItems", "contains", "minItems", "maxItems"];
const STRING_KEYS = ["format", "pattern", "minLength", "maxLength"];
const NUMBER_KEYS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
const KEYS: Readonly<Record<string, readonly string[]>> = {
  object: OBJECT_KEYS,
  array: ARRAY_KEYS,
  string: STRING_KEYS,
  number: NUMBER_KEYS,
  integer: NUMBER_KEYS,
};

interface Place {
  readonly root: SchemaNode;
  /** References on the way here. */
  readonly followed: readonly string[];
  readonly level: number;
  /** Parts that may still be written: references used over and over could make a small schema huge. */
  readonly budget: { left: number };
}

/**
 * For the service of Gemini: what its provider package turns into the part of OpenAPI that the service takes. One type per
 * node, unions that stand alone, values in lists only where they are texts, no references. What is lost stands in descriptions.
 */
export function googleSchema(schema: SchemaNode): SchemaNode {
  const root = asOneObject(schema);
  const place: Place = { root: schema, followed: [], level: 0, budget: { left: MAX_PARTS } };
  const converted = objectNode({ ...root, type: "object" }, place);
  return without(converted, ["nullable"]);
}

function convert(value: unknown, place: Place): SchemaNode {
  place.budget.left -= 1;
  if (!isJsonObject(value) || place.budget.left < 0) return ANYTHING;
  const { $ref: reference } = value;
  if (typeof reference === "string") return referred(value, reference, place);
  const node = listOf(value["allOf"]).length > 0 ? joined(value, place) : value;
  const union = listOf(node["anyOf"] ?? node["oneOf"]);
  if (union.length > 0 && !isObject(node)) return unionNode(node, union, place);
  const listed = googleValues(node);
  if (listed !== undefined) return listed;
  const types = typesOf(node).length > 0 ? typesOf(node) : guessed(node);
  const named = types.filter((type) => type !== "null");
  const isNullable = named.length < types.length || node["nullable"] === true;
  const [type, ...others] = named;
  if (others.length > 0) {
    const shared = withRules(pick(node, ["description", "not"]));
    return union_(
      named.map((name) => ({ ...pick(node, KEYS[name] ?? []), type: name })),
      { ...shared, nullable: isNullable },
      place,
    );
  }
  if (type === undefined) {
    return types.length > 0
      ? withRules({ ...pick(node, ["description"]), type: "null" })
      : free(node);
  }
  return nullable(typed(node, type, place), isNullable);
}

function typed(node: SchemaNode, type: string, place: Place): SchemaNode {
  if (type === "object") return objectNode(node, place);
  if (type === "array") return arrayNode(node, place);
  const plain = withRules({ ...without(node, ["nullable", "enum", "const", "format"]), type });
  const noted = withNote(plain, limits(node));
  const { format } = node;
  if (type !== "string" || typeof format !== "string") return noted;
  // The only one that the service knows for texts, apart from its own `enum`.
  return format === "date-time" ? { ...noted, format } : withNote(noted, `Format: ${format}`);
}

/** Limits for which the provider package has no place, and which nobody would guess. */
function limits(node: SchemaNode): string {
  const texts: readonly (readonly [string, string])[] = [
    ["pattern", "Pattern:"],
    ["exclusiveMinimum", "More than"],
    ["exclusiveMaximum", "Less than"],
    ["multipleOf", "A multiple of"],
  ];
  return texts
    .flatMap(([key, words]) => {
      const value = node[key];
      return typeof value === "string" || typeof value === "number"
        ? [`${words} ${cut(String(value))}`]
        : [];
    })
    .join(". ");
}

function objectNode(value: SchemaNode, place: Place): SchemaNode {
  const node = hasShapes(value) ? asOneObject(value, place.root) : value;
  const described = withRules({ ...pick(node, ["description", "not"]), type: "object" });
  const entries = Object.entries(objectOf(node["properties"])).filter(([, at]) => at !== false);
  const noted = withNote(described, freeKeys(node));
  if (entries.length === 0) return noted;
  if (place.level >= MAX_LEVELS) {
    const keys = entries.map(([key]) => key).join(", ");
    return withNote(noted, `An object with: ${cut(keys)}`);
  }
  const below = { ...place, level: place.level + 1 };
  const properties = Object.fromEntries(entries.map(([key, at]) => [key, convert(at, below)]));
  const required = textsOf(node["required"]).filter((key) => Object.hasOwn(properties, key));
  return { ...noted, properties, ...(required.length > 0 && { required }) };
}

function arrayNode(node: SchemaNode, place: Place): SchemaNode {
  const list = withRules({ ...pick(node, ["description", "not"]), type: "array" });
  const below = { ...place, level: place.level + 1 };
  if (place.level >= MAX_LEVELS) return { ...list, items: ANYTHING };
  const tuple = Array.isArray(node["items"]) ? node["items"] : listOf(node["prefixItems"]);
  if (tuple.length === 0) return { ...list, items: convert(node["items"], below) };
  const kinds = tuple.map((item) => typesOf(objectOf(item)).join(" or ") || "any value");
  const items = union_(tuple, {}, below);
  return withNote({ ...list, items }, `In this order: ${cut(kinds.join(", "))}`);
}

function unionNode(node: SchemaNode, union: readonly unknown[], place: Place): SchemaNode {
  // What stands beside a union holds for each of its branches.
  const shared = without(node, ["anyOf", "oneOf", "description", "nullable", "default", "title"]);
  const branches = union.map((branch) =>
    isJsonObject(branch) && typeof branch["$ref"] !== "string" ? { ...shared, ...branch } : branch,
  );
  return union_(branches, pick(node, ["description", "nullable"]), place);
}

/** A union must be all that there is at its place, so that what is said about it goes to its first branch. */
function union_(branches: readonly unknown[], about: SchemaNode, place: Place): SchemaNode {
  const nodes = branches
    .map((branch) => convert(branch, place))
    .flatMap((node) => {
      const inner = node["anyOf"];
      return Array.isArray(inner) ? (inner as SchemaNode[]) : [node];
    });
  const isNullable = about["nullable"] === true || nodes.some(({ type }) => type === "null");
  const named = nodes.filter(({ type }) => type !== "null");
  const distinct = [...new Map(named.map((node) => [JSON.stringify(node), node])).values()];
  const [first, ...others] = distinct;
  if (first === undefined) return { ...pick(about, ["description"]), type: "null" };
  const head = nullable(before(about["description"], first), isNullable);
  return others.length === 0 ? head : { anyOf: [head, ...others] };
}

function before(description: unknown, node: SchemaNode): SchemaNode {
  if (typeof description !== "string" || description === node["description"]) return node;
  const own = node["description"];
  return { ...node, description: typeof own === "string" ? `${description} ${own}` : description };
}

function referred(node: SchemaNode, reference: string, place: Place): SchemaNode {
  const target = localReference(reference, place.root);
  const siblings = without(node, ["$ref"]);
  if (!isJsonObject(target) || place.followed.includes(reference)) return free(siblings);
  return convert(
    { ...target, ...siblings },
    { ...place, followed: [...place.followed, reference] },
  );
}

/** All parts hold at once: an object of all their properties, or one list of all their keywords. */
function joined(node: SchemaNode, place: Place): SchemaNode {
  const parts = listOf(node["allOf"])
    .filter(isJsonObject)
    .map((part) => {
      const { $ref: reference } = part;
      const target = typeof reference === "string" ? localReference(reference, place.root) : part;
      return isJsonObject(target) ? target : {};
    });
  if ([node, ...parts].some(isObject)) return { ...node, type: "object" };
  return Object.assign({}, ...parts, without(node, ["allOf"])) as SchemaNode;
}

function isObject(node: SchemaNode): boolean {
  return typesOf(node).includes("object") || node["properties"] !== undefined;
}

/** The types that the other keywords are made for; empty when they tell nothing. */
function guessed(node: SchemaNode): string[] {
  const found = (keys: readonly string[]): boolean => keys.some((key) => node[key] !== undefined);
  if (found(OBJECT_KEYS)) return ["object"];
  if (found(ARRAY_KEYS)) return ["array"];
  if (found(STRING_KEYS)) return ["string"];
  return found(NUMBER_KEYS) ? ["number"] : [];
}

function free(node: SchemaNode): SchemaNode {
  const { description } = withRules(node);
  const [first = {}, ...others] = ANYTHING["anyOf"] as SchemaNode[];
  const head = nullable(before(description, first), node["nullable"] === true);
  return { anyOf: [head, ...others] };
}

function nullable(node: SchemaNode, isNullable: boolean): SchemaNode {
  const { type, anyOf } = node;
  if (!isNullable) return node;
  if (Array.isArray(anyOf)) {
    const [first = {}, ...others] = anyOf as SchemaNode[];
    return { anyOf: [nullable(first, true), ...others] };
  }
  return typeof type === "string" ? { ...node, type: [type, "null"] } : node;
}

function withRules(node: SchemaNode): SchemaNode {
  const { not } = node;
  return withNote(
    without(node, ["not"]),
    not === undefined ? "" : `Must not match: ${cut(JSON.stringify(not))}`,
  );
}

/** Keys that have no name in the schema can only be told. */
function freeKeys(node: SchemaNode): string {
  const { additionalProperties: more, patternProperties: patterns } = node;
  const notes: string[] = [];
  if (isJsonObject(more) && Object.keys(more).length > 0) {
    notes.push(`Further keys are free; each value: ${cut(JSON.stringify(more))}`);
  }
  for (const [pattern, schema] of Object.entries(objectOf(patterns))) {
    notes.push(`Keys like ${pattern}: ${cut(JSON.stringify(schema))}`);
  }
  return notes.join(". ");
}
