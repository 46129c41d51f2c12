import { isJsonObject } from "@acumen/core";
import type { ListedTool } from "./mcp-connection.ts";

interface Declaration {
  readonly path: readonly string[];
  readonly header: string;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}$/u;
const MAX_DEPTH = 20;
const MAX_HEADERS = 50;
const LONGEST_VALUE = 4_000;

/** Arguments that a server of the modern protocol wants to see in headers too, as the schemas of its tools say. */
export class ParamHeaders {
  #declarations = new Map<string, readonly Declaration[]>();

  /** @param tools the whole list; the one before is forgotten */
  learn(tools: readonly ListedTool[]): void {
    const found = tools.flatMap(({ name, inputSchema }) => {
      const declarations = declarationsIn(inputSchema, []);
      return typeof name === "string" && declarations.length > 0
        ? [[name, declarations.slice(0, MAX_HEADERS)] as const]
        : [];
    });
    this.#declarations = new Map(found);
  }

  /** Undefined: none. */
  headersOf(
    tool: string,
    args: Readonly<Record<string, unknown>>,
  ): Readonly<Record<string, string>> | undefined {
    const declarations = this.#declarations.get(tool);
    if (!declarations) return undefined;
    const headers = declarations.flatMap(({ path, header }) => {
      const value = headerValue(path.reduce<unknown>(valueAt, args));
      return value === undefined ? [] : [[`Mcp-Param-${header}`, value]];
    });
    return Object.fromEntries(headers) as Record<string, string>;
  }
}

function declarationsIn(schema: unknown, path: readonly string[]): readonly Declaration[] {
  if (!isJsonObject(schema) || path.length > MAX_DEPTH) return [];
  const header = schema["x-mcp-header"];
  const own = typeof header === "string" && TOKEN.test(header) ? [{ path, header }] : [];
  const { properties } = schema;
  if (!isJsonObject(properties)) return own;
  const inner = Object.entries(properties).flatMap(([key, property]) =>
    declarationsIn(property, [...path, key]),
  );
  return [...own, ...inner];
}

function valueAt(value: unknown, key: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function headerValue(value: unknown): string | undefined {
  const isPlain = typeof value === "boolean" || Number.isSafeInteger(value);
  const text = isPlain ? String(value) : value;
  if (typeof text !== "string" || text.length > LONGEST_VALUE) return undefined;
  const isSafe = /^[\t\x20-\x7e]+$/u.test(text) && text === text.trim();
  if (isSafe && !text.startsWith("=?base64?")) return text;
  return `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`;
}
