import { isJsonObject } from "@acumen/core";
import { localReference } from "../json/local-reference.ts";
import {
  cut,
  listOf,
  objectOf,
  type SchemaNode,
  textsOf,
  typesOf,
  valuesText,
  without,
  withNote,
} from "./schema-node.ts";

/** Keywords by which an object can take several shapes. */
const SHAPING = ["allOf", "anyOf", "oneOf", "if", "then", "else", "not", "enum", "const"];
const MAX_DEPTH = 8;
const MAX_BRANCHES = 8;

/** What the objects that fit a schema may hold. */
interface Shape {
  readonly properties: ReadonlyMap<string, unknown>;
  readonly required: ReadonlySet<string>;
  readonly notes: readonly string[];
}

export function hasShapes(node: SchemaNode): boolean {
  return SHAPING.some((key) => node[key] !== undefined) || typeof node["$ref"] === "string";
}

/**
 * The schema of an object as one list of properties: those of every branch, of which only what all branches require is
 * required. The rule that is lost that way stands in the description. Itself when there is nothing to do.
 * @param root where references begin
 */
export function asOneObject(schema: SchemaNode, root: SchemaNode = schema): SchemaNode {
  if (!hasShapes(schema)) return schema;
  const { properties, required, notes } = shapeOf(schema, root, 0);
  const target = targetOf(schema, root);
  const rest = without({ ...target, ...schema }, [...SHAPING, "$ref", "required"]);
  return withNote(
    {
      ...rest,
      type: "object",
      properties: Object.fromEntries(properties),
      ...(required.size > 0 && { required: [...required] }),
    },
    notes.join(". "),
  );
}

function shapeOf(node: SchemaNode, root: SchemaNode, depth: number): Shape {
  if (depth > MAX_DEPTH) return { properties: new Map(), required: new Set(), notes: [] };
  const own: Shape = {
    properties: new Map(Object.entries(objectOf(node["properties"]))),
    required: new Set(textsOf(node["required"])),
    notes: ruleNotes(node),
  };
  const target = targetOf(node, root);
  const parts = [...(target === undefined ? [] : [target]), ...listOf(node["allOf"])]
    .filter(isJsonObject)
    .map((part) => shapeOf(part, root, depth + 1));
  const unions = ["anyOf", "oneOf"].flatMap((key) => unionOf(node, key, root, depth) ?? []);
  return [...parts, ...unions, ...conditional(node, root, depth)].reduce(both, own);
}

function targetOf({ $ref }: SchemaNode, root: SchemaNode): SchemaNode | undefined {
  const target = typeof $ref === "string" ? localReference($ref, root) : undefined;
  return isJsonObject(target) ? target : undefined;
}

function unionOf(
  node: SchemaNode,
  key: string,
  root: SchemaNode,
  depth: number,
): Shape | undefined {
  const branches = listOf(node[key]).filter(isJsonObject).filter(mayBeObject);
  if (branches.length === 0) return undefined;
  const shapes = branches.map((branch) => shapeOf(branch, root, depth + 1));
  const { properties, required } = either(shapes);
  const known = new Set(Object.keys(objectOf(node["properties"])));
  // A branch that says nothing about a property of the whole leaves it as it is.
  const kept = [...properties].filter(
    ([name]) => !known.has(name) || shapes.every((shape) => shape.properties.has(name)),
  );
  const note = branches.length === 1 ? "" : alternatives(key, branches, shapes);
  const inner = branches.length === 1 ? (shapes[0]?.notes ?? []) : [];
  return {
    properties: new Map(kept),
    required,
    notes: note === "" ? inner : [note],
  };
}

function mayBeObject(branch: SchemaNode): boolean {
  const types = typesOf(branch);
  return types.length === 0 || types.includes("object");
}

function conditional(node: SchemaNode, root: SchemaNode, depth: number): Shape[] {
  const { then: yes, else: no } = node;
  if (node["if"] === undefined) return [];
  const shapes = [yes, no].map((branch) =>
    shapeOf(isJsonObject(branch) ? branch : {}, root, depth + 1),
  );
  const { properties, required } = either(shapes);
  const known = new Set(Object.keys(objectOf(node["properties"])));
  const added = [...properties].filter(([name]) => !known.has(name));
  return [{ properties: new Map(added), required, notes: [] }];
}

function either(shapes: readonly Shape[]): Shape {
  const properties = new Map<string, unknown>();
  const names = new Set(shapes.flatMap((shape) => [...shape.properties.keys()]));
  for (const name of names) {
    const variants = shapes.flatMap((shape) =>
      shape.properties.has(name) ? [shape.properties.get(name)] : [],
    );
    properties.set(name, oneOfThese(variants));
  }
  const [first, ...others] = shapes;
  const required = [...(first?.required ?? [])].filter((name) =>
    others.every((shape) => shape.required.has(name)),
  );
  return { properties, required: new Set(required), notes: [] };
}

function both(one: Shape, other: Shape): Shape {
  const properties = new Map(one.properties);
  for (const [name, schema] of other.properties) {
    const known = properties.get(name);
    properties.set(
      name,
      isJsonObject(known) && isJsonObject(schema) ? { ...known, ...schema } : schema,
    );
  }
  return {
    properties,
    required: new Set([...one.required, ...other.required]),
    notes: [...one.notes, ...other.notes],
  };
}

/** One schema for a property that has several: the values together when they are listed, else a union. */
function oneOfThese(variants: readonly unknown[]): unknown {
  const distinct = [
    ...new Map(variants.map((schema) => [JSON.stringify(schema), schema])).values(),
  ];
  if (distinct.length === 1) return distinct[0];
  const lists = distinct.map(listedValues);
  if (lists.every((list) => list !== undefined)) {
    const first = objectOf(distinct[0]);
    const types = new Set(distinct.map((schema) => JSON.stringify(objectOf(schema)["type"])));
    return {
      ...without(first, ["const", "enum", ...(types.size > 1 ? ["type"] : [])]),
      enum: [...new Set(lists.flat())],
    };
  }
  return { anyOf: distinct };
}

function listedValues(schema: unknown): readonly unknown[] | undefined {
  const node = objectOf(schema);
  if (node["const"] !== undefined) return [node["const"]];
  return Array.isArray(node["enum"]) ? (node["enum"] as unknown[]) : undefined;
}

/** What cannot be said by properties alone. */
function ruleNotes(node: SchemaNode): string[] {
  const { not } = node;
  const clauses = ["if", "then", "else"].flatMap((key) =>
    node[key] === undefined ? [] : [`${key} ${cut(JSON.stringify(node[key]))}`],
  );
  return [
    ...(node["if"] === undefined ? [] : [`Rule: ${clauses.join(", ")}`]),
    ...(not === undefined ? [] : [`Must not match: ${cut(JSON.stringify(not))}`]),
    ...(Array.isArray(node["enum"]) ? [`One of: ${valuesText(node["enum"] as unknown[])}`] : []),
    ...(node["const"] === undefined ? [] : [`Always: ${valuesText([node["const"]])}`]),
  ];
}

function alternatives(
  key: string,
  branches: readonly SchemaNode[],
  shapes: readonly Shape[],
): string {
  const texts = shapes.map((shape, index) => branchText(shape, branches[index] ?? {}));
  if (new Set(texts).size < 2) return "";
  const shown = texts.slice(0, MAX_BRANCHES).map((text, index) => `(${index + 1}) ${text}`);
  const more = texts.length > MAX_BRANCHES ? "; …" : "";
  const count = key === "oneOf" ? "exactly one" : "at least one";
  return `Give ${count} of these combinations: ${cut(shown.join("; "))}${more}`;
}

function branchText({ properties, required }: Shape, { title, description }: SchemaNode): string {
  const names = [...required].map((name) => {
    const values = listedValues(properties.get(name));
    return values?.length === 1 ? `${name} = ${valuesText(values)}` : name;
  });
  const label = [title, description].find((text) => typeof text === "string" && text !== "");
  if (names.length > 0) return names.join(" and ");
  if (typeof label === "string") return cut(label);
  const optional = [...properties.keys()];
  return optional.length === 0 ? "nothing more" : `optionally ${optional.slice(0, 8).join(", ")}`;
}
