import { closest, isJsonObject } from "@acumen/core";
import { z } from "zod";
import { visibleLine } from "../../text/visible-text.ts";
import type { Fields } from "./foreign-definition.ts";
import {
  CONFLICT_POLICIES,
  DEFAULT_STARTUP_TIMEOUT_MS,
  DEFAULT_TIMEOUT_MS,
  MCP_TRANSPORTS,
  type McpTransport,
} from "./server-definition.ts";

/** One day: beyond any call, and far from where timers overflow. */
const MAX_MS = 86_400_000;

const TYPES: ReadonlyMap<string, McpTransport> = new Map([
  ["stdio", "stdio"],
  ["local", "stdio"],
  ["http", "http"],
  ["streamablehttp", "http"],
  ["remote", "http"],
  ["sse", "sse"],
]);

const text = z.string();
const filledText = z.string().min(1);
const texts = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean()]).transform((value) => String(value)),
);
const milliseconds = z.int().min(1).max(MAX_MS);
const common = {
  timeoutMs: milliseconds.default(DEFAULT_TIMEOUT_MS),
  startupTimeoutMs: milliseconds.default(DEFAULT_STARTUP_TIMEOUT_MS),
  onConflict: z.enum(CONFLICT_POLICIES).optional(),
  enabledTools: z.array(filledText).exactOptional(),
  disabledTools: z.array(filledText).exactOptional(),
  trustReadOnlyHint: z.boolean().default(false),
};
export const stdioFields = z.object({
  ...common,
  command: filledText,
  args: z.array(text).default([]),
  env: texts.default({}),
  cwd: filledText.exactOptional(),
});
export const remoteFields = z.object({ ...common, url: filledText, headers: texts.default({}) });
export const OUR_KEYS: ReadonlySet<string> = new Set([
  ...Object.keys(stdioFields.shape),
  ...Object.keys(remoteFields.shape),
]);

/** What `type` says, or what the keys show that are there. */
export function transportOf(fields: Fields): McpTransport | { readonly fault: string } {
  const { type } = fields;
  if (type === undefined) return inferredTransport(fields);
  const expected = "type: expected stdio, http or sse";
  if (typeof type !== "string") return { fault: `${expected}, found ${kindOf(type)}` };
  const transport = TYPES.get(type.toLowerCase().replaceAll(/[-_ ]/gu, ""));
  if (transport !== undefined) return transport;
  const meant = closest(type, [...MCP_TRANSPORTS, "streamable_http"]);
  return { fault: meant === undefined ? expected : `${expected}. Did you mean ${meant}?` };
}

function inferredTransport(fields: Fields): McpTransport | { readonly fault: string } {
  const has = { command: "command" in fields, url: "url" in fields };
  if (has.command && has.url) {
    return {
      fault: "type: it has both `command` and `url`; say which one counts with stdio or http",
    };
  }
  if (has.command) return "stdio";
  if (has.url) return "http";
  const hint = misspelt(fields, ["command", "url"]);
  return {
    fault: `expected \`command\` (a program) or \`url\` (an address), found neither${hint}`,
  };
}

/** The first thing that is wrong: place, what was expected, what kind of thing was found. */
export function shapeFault(error: z.ZodError, fields: Fields): string {
  const [issue] = error.issues;
  const path = issue?.path ?? [];
  const place = path.map((key) => shownKey(String(key))).join(".");
  const value = path.reduce<unknown>(
    (at, key) => (isJsonObject(at) || Array.isArray(at) ? Reflect.get(at, key) : undefined),
    fields,
  );
  const [first] = path;
  const hint = value === undefined && path.length === 1 ? misspelt(fields, [String(first)]) : "";
  const found = value === "" ? "an empty text" : kindOf(value);
  const other = typeof value === "number" && String(first).endsWith("Ms") ? "another one" : found;
  return `${place}: expected ${expectedAt(path)}, found ${other}${hint}`;
}

const EXPECTED: Readonly<Record<string, string>> = {
  command: "the name of a program",
  args: "a list of texts",
  env: "an object of texts",
  headers: "an object of texts",
  cwd: "a folder",
  url: "an address",
  timeoutMs: `a whole number of milliseconds from 1 to ${MAX_MS}`,
  startupTimeoutMs: `a whole number of milliseconds from 1 to ${MAX_MS}`,
  onConflict: CONFLICT_POLICIES.join(" or "),
  enabledTools: "a list of names of tools",
  disabledTools: "a list of names of tools",
  trustReadOnlyHint: "true or false",
};

function expectedAt(path: readonly PropertyKey[]): string {
  return path.length > 1 ? "a text" : (EXPECTED[String(path[0])] ?? "something else");
}

/** A key of nobody that is almost one that is missing. */
function misspelt(fields: Fields, missing: readonly string[]): string {
  for (const key of Object.keys(fields)) {
    const meant = OUR_KEYS.has(key) ? undefined : closest(key, missing);
    if (meant !== undefined) return `. Is \`${shownKey(key)}\` meant to be \`${meant}\`?`;
  }
  return "";
}

/** A key in the place of a fault. */
export function shownKey(key: string): string {
  const shown = visibleLine(key);
  return shown.length > 64 ? `${shown.slice(0, 64)}…` : shown;
}

/** Never the value itself. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  return typeof value === "string" ? "a text" : `a ${typeof value}`;
}
