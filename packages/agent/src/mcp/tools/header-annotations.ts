import { isJsonObject } from "@acumen/core";

const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const PRIMITIVES: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"]);
const MAX_DEPTH = 20;

/**
 * Why the arguments of a tool cannot be repeated in headers as its schema asks for; undefined when they can. The protocol of 2026-07-28
 * (SEP-2243) wants clients to leave such a tool out: what stands between client and server would see other headers than the server.
 */
export function headerFault(schema: unknown): string | undefined {
  const seen = new Set<string>();
  for (const { key, name, type } of annotationsIn(schema, MAX_DEPTH)) {
    const place = `The x-mcp-header of its property ${JSON.stringify(key.slice(0, 100))}`;
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
}

function annotationsIn(schema: unknown, depth: number): readonly Annotation[] {
  if (!isJsonObject(schema) || !isJsonObject(schema["properties"]) || depth === 0) return [];
  return Object.entries(schema["properties"]).flatMap(([key, property]) => {
    if (!isJsonObject(property)) return [];
    const name = property["x-mcp-header"];
    const own = name === undefined ? [] : [{ key, name, type: property["type"] }];
    return [...own, ...annotationsIn(property, depth - 1)];
  });
}
