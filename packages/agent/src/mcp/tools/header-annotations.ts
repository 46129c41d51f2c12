import { isJsonObject } from "@acumen/core";

const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const PRIMITIVES: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"]);
const MAX_DEPTH = 20;
/** Where schemas lie in a schema beside its properties: one, several, or several with names. */
const ELSEWHERE = [
  "items",
  "prefixItems",
  "contains",
  "additionalProperties",
  "propertyNames",
  "unevaluatedItems",
  "unevaluatedProperties",
  "oneOf",
  "anyOf",
  "allOf",
  "not",
  "if",
  "then",
  "else",
];
const NAMED_ELSEWHERE = ["patternProperties", "dependentSchemas", "$defs", "definitions"];

/**
 * Why the arguments of a tool cannot be repeated in headers as its schema asks for; undefined when they can. The protocol of 2026-07-28
 * (SEP-2243) wants clients to leave such a tool out: what stands between client and server would see other headers than the server.
 */
export function headerFault(schema: unknown): string | undefined {
  const seen = new Set<string>();
  for (const { key, name, type, isArgument } of annotationsIn(schema, "", [], MAX_DEPTH)) {
    if (!isArgument) return "It has an x-mcp-header at a place that is no argument of its own.";
    const place = `The x-mcp-header of its property ${JSON.stringify(key)}`;
    if (typeof name !== "string" || !HEADER_NAME.test(name)) return `${place} is no header name.`;
    if (!PRIMITIVES.has(type)) return `${place} stands at what is no string, integer or boolean.`;
    if (seen.has(name.toLowerCase())) return `${place} is there twice.`;
    seen.add(name.toLowerCase());
  }
  return undefined;
}

interface Annotation {
  readonly key: string;
  readonly name: unknown;
  readonly type: unknown;
  /** It has one fixed place in the arguments. */
  readonly isArgument: boolean;
}

/** @param path to the argument that the schema describes; undefined: it may be anywhere, or nowhere */
function annotationsIn(
  schema: unknown,
  key: string,
  path: readonly string[] | undefined,
  depth: number,
): readonly Annotation[] {
  if (!isJsonObject(schema) || depth < 0) return [];
  const { type, properties, "x-mcp-header": name } = schema;
  const isArgument = path !== undefined && path.length > 0;
  const own = name === undefined ? [] : [{ key, name, type, isArgument }];
  const inner = Object.entries(isJsonObject(properties) ? properties : {}).flatMap(
    ([innerKey, property]) =>
      annotationsIn(property, innerKey, path && [...path, innerKey], depth - 1),
  );
  const elsewhere = schemasElsewhere(schema).flatMap((each) =>
    annotationsIn(each, key, undefined, depth - 1),
  );
  return [...own, ...inner, ...elsewhere];
}

function schemasElsewhere(schema: Readonly<Record<string, unknown>>): readonly unknown[] {
  const named = NAMED_ELSEWHERE.map((keyword) => schema[keyword]).filter(isJsonObject);
  return [...ELSEWHERE.flatMap((keyword) => schema[keyword]), ...named.flatMap(Object.values)];
}
