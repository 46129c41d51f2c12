import { valueFaults } from "@acumen/agent";
import { isJsonObject } from "@acumen/core";
import type { JsonObject } from "../envelope/json-value.ts";

const TYPES = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);
/** Under these stand names, and a schema below each. */
const NAMED = new Set(["properties", "$defs", "definitions"]);
/** Under these stands a schema, or a list of them. */
const NESTED = new Set(["items", "prefixItems", "additionalProperties", "anyOf", "allOf"]);
/** Compared with the value itself. */
const COMPARED = new Set([
  ..."enum const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength".split(
    " ",
  ),
  ..."minItems maxItems uniqueItems minProperties maxProperties".split(" "),
]);
/** For people. */
const NOTES = new Set(
  "title description default examples deprecated readOnly writeOnly format $comment $schema".split(
    " ",
  ),
);
const REFERENCE = /^#\/(\$defs|definitions)\/([^/~%]+)$/;

/**
 * What makes a schema of arguments one whose values would not be checked as it says: an action that relies on it would take what it forbids.
 * @param schema JSON without cycles
 */
export function schemaFaults(schema: JsonObject): readonly string[] {
  const faults = [...new SchemaCheck(schema).faults(schema)];
  // Values are compared with a schema that is one.
  return faults.length > 0 ? faults : defaultFaults(schema);
}

class SchemaCheck {
  readonly #root: JsonObject;
  readonly #done = new Set<string>();
  readonly #open = new Set<string>();

  constructor(root: JsonObject) {
    this.#root = root;
  }

  *faults(schema: unknown): Iterable<string> {
    if (typeof schema === "boolean") return;
    if (!isJsonObject(schema)) {
      yield "a schema is neither an object nor true or false";
      return;
    }
    for (const [keyword, value] of Object.entries(schema)) {
      yield* this.#keyword(keyword, value, schema);
    }
  }

  *#keyword(
    keyword: string,
    value: unknown,
    schema: Readonly<Record<string, unknown>>,
  ): Iterable<string> {
    if (COMPARED.has(keyword) || NOTES.has(keyword) || keyword.startsWith("x-")) return;
    if (keyword === "type") yield* typeFault(value);
    else if (keyword === "required") yield* requiredFault(value, schema["properties"]);
    else if (keyword === "$ref") yield* this.#reference(value);
    else if (NESTED.has(keyword)) yield* this.#all(Array.isArray(value) ? value : [value]);
    else if (!NAMED.has(keyword)) {
      yield `the keyword ${keyword} is not checked here, so it may not be used`;
    } else if (!isJsonObject(value)) yield `${keyword} is no object`;
    else {
      for (const [name, one] of Object.entries(value)) {
        // Nothing fits false, but that is not looked at here.
        if (one === false) yield `${name} can have no value`;
        else yield* this.faults(one);
      }
    }
  }

  *#all(schemas: readonly unknown[]): Iterable<string> {
    for (const schema of schemas) yield* this.faults(schema);
  }

  *#reference(value: unknown): Iterable<string> {
    const [, group = "", name = ""] = REFERENCE.exec(typeof value === "string" ? value : "") ?? [];
    const groups = this.#root[group];
    if (!isJsonObject(groups) || !Object.hasOwn(groups, name)) {
      yield `a $ref must be #/$defs/NAME, with a schema of that name`;
      return;
    }
    const key = `${group}/${name}`;
    if (this.#done.has(key)) return;
    if (this.#open.has(key)) {
      yield `the schema ${name} refers to itself`;
      return;
    }
    this.#open.add(key);
    yield* this.faults(groups[name]);
    this.#open.delete(key);
    this.#done.add(key);
  }
}

function typeFault(value: unknown): readonly string[] {
  const types: readonly unknown[] = Array.isArray(value) ? value : [value];
  const wrong = types.find((type) => typeof type !== "string" || !TYPES.has(type));
  if (wrong === undefined && types.length > 0) return [];
  return [`there is no type ${JSON.stringify(wrong ?? value)}; there are ${[...TYPES].join(", ")}`];
}

/** A name that is required and not described is not looked for. */
function requiredFault(value: unknown, properties: unknown): readonly string[] {
  if (!Array.isArray(value)) return ["required is no list"];
  const names: readonly unknown[] = value;
  const known = isJsonObject(properties) ? properties : {};
  return names
    .filter((name) => typeof name !== "string" || !Object.hasOwn(known, name))
    .map((name) => `${JSON.stringify(name)} is required, but not among the properties`);
}

/** Whoever names no value must not be refused because of the one that stands in its place. */
function defaultFaults(schema: JsonObject): readonly string[] {
  const { required: _required, minProperties: _least, ...rest } = schema;
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const values = Object.entries(properties).flatMap(([name, property]) =>
    isJsonObject(property) && Object.hasOwn(property, "default")
      ? [[name, property["default"]] as const]
      : [],
  );
  return valueFaults(Object.fromEntries(values), rest).map(
    ({ path, text }) => `the default of ${path.join(".") || "the arguments"}: ${text}`,
  );
}
