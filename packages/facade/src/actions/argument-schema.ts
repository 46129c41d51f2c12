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
 * Undefined: nothing does.
 * @param schema JSON without cycles
 */
export function schemaFault(schema: JsonObject): string | undefined {
  return new SchemaCheck(schema).fault(schema) ?? defaultFault(schema);
}

class SchemaCheck {
  readonly #root: JsonObject;
  readonly #done = new Set<string>();
  readonly #open = new Set<string>();

  constructor(root: JsonObject) {
    this.#root = root;
  }

  fault(schema: unknown): string | undefined {
    if (typeof schema === "boolean") return undefined;
    if (!isJsonObject(schema)) return "a schema is neither an object nor true or false";
    for (const [keyword, value] of Object.entries(schema)) {
      const found = this.#keyword(keyword, value, schema);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #keyword(
    keyword: string,
    value: unknown,
    schema: Readonly<Record<string, unknown>>,
  ): string | undefined {
    if (COMPARED.has(keyword) || NOTES.has(keyword) || keyword.startsWith("x-")) return undefined;
    if (keyword === "type") return typeFault(value);
    if (keyword === "required") return requiredFault(value, schema["properties"]);
    if (keyword === "$ref") return this.#reference(value);
    if (NESTED.has(keyword)) return this.#first(Array.isArray(value) ? value : [value]);
    if (!NAMED.has(keyword))
      return `the keyword ${keyword} is not checked here, so it may not be used`;
    if (!isJsonObject(value)) return `${keyword} is no object`;
    // Nothing fits false, but that is not looked at here.
    const never = Object.entries(value).find(([, one]) => one === false);
    return never === undefined
      ? this.#first(Object.values(value))
      : `${never[0]} can have no value`;
  }

  #first(schemas: readonly unknown[]): string | undefined {
    for (const schema of schemas) {
      const found = this.fault(schema);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #reference(value: unknown): string | undefined {
    const [, group = "", name = ""] = REFERENCE.exec(typeof value === "string" ? value : "") ?? [];
    const groups = this.#root[group];
    if (!isJsonObject(groups) || !Object.hasOwn(groups, name)) {
      return `a $ref must be #/$defs/NAME, with a schema of that name`;
    }
    const key = `${group}/${name}`;
    if (this.#done.has(key)) return undefined;
    if (this.#open.has(key)) return `the schema ${name} refers to itself`;
    this.#open.add(key);
    const found = this.fault(groups[name]);
    this.#open.delete(key);
    this.#done.add(key);
    return found;
  }
}

function typeFault(value: unknown): string | undefined {
  const types: readonly unknown[] = Array.isArray(value) ? value : [value];
  const wrong = types.find((type) => typeof type !== "string" || !TYPES.has(type));
  if (wrong === undefined && types.length > 0) return undefined;
  return `there is no type ${JSON.stringify(wrong ?? value)}; there are ${[...TYPES].join(", ")}`;
}

/** A name that is required and not described is not looked for. */
function requiredFault(value: unknown, properties: unknown): string | undefined {
  if (!Array.isArray(value)) return "required is no list";
  const known = isJsonObject(properties) ? properties : {};
  const wrong = value.find((name) => typeof name !== "string" || !Object.hasOwn(known, name));
  return wrong === undefined
    ? undefined
    : `${JSON.stringify(wrong)} is required, but not among the properties`;
}

/** Whoever names no value must not be refused because of the one that stands in its place. */
function defaultFault(schema: JsonObject): string | undefined {
  const { required: _required, minProperties: _least, ...rest } = schema;
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const values = Object.entries(properties).flatMap(([name, property]) =>
    isJsonObject(property) && Object.hasOwn(property, "default")
      ? [[name, property["default"]] as const]
      : [],
  );
  const [fault] = valueFaults(Object.fromEntries(values), rest);
  return fault === undefined
    ? undefined
    : `the default of ${fault.path.join(".") || "the arguments"}: ${fault.text}`;
}
