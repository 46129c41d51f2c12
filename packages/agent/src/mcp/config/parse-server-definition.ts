import { isAbsolute, join } from "node:path";
import { closest, isJsonObject } from "@acumen/core";
import { z } from "zod";
import { visibleLine } from "../../text/visible-text.ts";
import { definitionSecrets, writtenSecrets } from "./definition-secrets.ts";
import { expandVariables } from "./expand-variables.ts";
import { type Fields, inOurWords } from "./foreign-definition.ts";
import {
  CONFLICT_POLICIES,
  type ConflictPolicy,
  DEFAULT_STARTUP_TIMEOUT_MS,
  DEFAULT_TIMEOUT_MS,
  type McpServerDefinition,
  type McpTransport,
} from "./server-definition.ts";

export interface ParseDefinitionOptions {
  /** Variables, `HOME`, and the values that are no secrets although they stand in a definition. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Variables are replaced. */
  readonly expand: boolean;
  /** Where the definition says nothing. Default `reject`. */
  readonly onConflict?: ConflictPolicy;
}

export type ParsedDefinition =
  | {
      readonly ok: true;
      readonly definition: McpServerDefinition;
      readonly secrets: readonly string[];
    }
  | {
      readonly ok: false;
      /** Begins with the place within the definition, such as `args.1: `; holds no values. */
      readonly fault: string;
      /** As far as it was said. */
      readonly transport: McpTransport | null;
      /** Nothing is wrong but that a variable is not set here. */
      readonly unset: boolean;
      readonly secrets: readonly string[];
    };

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
const stdioFields = z.object({
  ...common,
  command: filledText,
  args: z.array(text).default([]),
  env: texts.default({}),
  cwd: filledText.exactOptional(),
});
const remoteFields = z.object({ ...common, url: filledText, headers: texts.default({}) });
const OUR_KEYS = new Set([...Object.keys(stdioFields.shape), ...Object.keys(remoteFields.shape)]);

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u;
/** What a header can carry: a tab, and Latin-1 without controls. */
const HEADER_VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/u;
const NO_VARIABLE = /^\$([A-Z_][A-Z0-9_]*)$/u;

/** Checks one value of `mcpServers`, fills in what it leaves out and puts in variables. Never throws, whatever it is given. */
export function parseServerDefinition(
  raw: unknown,
  options: ParseDefinitionOptions,
): ParsedDefinition {
  if (!isJsonObject(raw)) {
    const fault = `expected an object with \`command\` or \`url\`, found ${kindOf(raw)}`;
    return { ok: false, fault, transport: null, unset: false, secrets: [] };
  }
  const words = inOurWords(raw);
  if ("fault" in words) return refused(words.fault, raw, null);
  const transport = transportOf(words.fields);
  if (typeof transport !== "string") return refused(transport.fault, words.fields, null);
  return transport === "stdio"
    ? parseStdio(words.fields, options)
    : parseRemote(words.fields, transport, options);
}

function parseStdio(fields: Fields, options: ParseDefinitionOptions): ParsedDefinition {
  const shape = stdioFields.safeParse(fields);
  if (!shape.success) return refused(shapeFault(shape.error, fields), fields, "stdio");
  const { command, args, env, cwd, onConflict, ...rest } = shape.data;
  const reader = new TextReader(options);
  const definition = {
    transport: "stdio",
    ...rest,
    onConflict: onConflict ?? options.onConflict ?? "reject",
    command: reader.filled("command", command),
    args: args.map((arg, index) => reader.plain(`args.${index}`, arg)),
    env: reader.variables(env),
    ...(cwd !== undefined && { cwd: reader.folder(cwd) }),
  } as const;
  return reader.done(definition, fields);
}

function parseRemote(
  fields: Fields,
  transport: "http" | "sse",
  options: ParseDefinitionOptions,
): ParsedDefinition {
  const shape = remoteFields.safeParse(fields);
  if (!shape.success) return refused(shapeFault(shape.error, fields), fields, transport);
  const { url, headers, onConflict, ...rest } = shape.data;
  const reader = new TextReader(options);
  const definition = {
    transport,
    ...rest,
    onConflict: onConflict ?? options.onConflict ?? "reject",
    url: reader.address(url),
    headers: reader.headers(headers),
  } as const;
  return reader.done(definition, fields);
}

/** Takes texts of a definition one by one and remembers the first fault. */
class TextReader {
  readonly #options: ParseDefinitionOptions;
  readonly #values: string[] = [];
  #fault: string | undefined;
  #unset = false;

  constructor(options: ParseDefinitionOptions) {
    this.#options = options;
  }

  plain(place: string, written: string): string {
    const value = this.#expanded(place, written);
    if (value.includes("\0")) this.#refuse(place, "a NUL character cannot be handed over");
    return value;
  }

  filled(place: string, written: string): string {
    const value = this.plain(place, written);
    if (value.trim() === "") this.#refuse(place, "nothing is left of it");
    return value;
  }

  folder(written: string): string {
    const value = this.filled("cwd", written);
    if (isAbsolute(value)) return value;
    const home = this.#options.environment["HOME"];
    if (value !== "~" && !value.startsWith("~/")) {
      this.#refuse("cwd", "expected an absolute path, or one that begins with `~/`");
    } else if (home === undefined || !isAbsolute(home)) {
      this.#refuse("cwd", "`~` stands for the variable HOME, which is not set");
    } else return join(home, value.slice(1));
    return value;
  }

  variables(written: Readonly<Record<string, string>>): Record<string, string> {
    return this.#each("env", written, (place, name, value) => {
      if (name === "" || /[=\0]/u.test(name)) this.#refuse(place, "this is no name of a variable");
      return this.plain(place, value);
    });
  }

  headers(written: Readonly<Record<string, string>>): Record<string, string> {
    return this.#each("headers", written, (place, name, text) => {
      if (!HEADER_NAME.test(name)) this.#refuse(place, "this is no name of a header");
      const value = this.#expanded(place, text);
      if (!HEADER_VALUE.test(value)) this.#refuse(place, "holds a character that no header can");
      return value;
    });
  }

  address(written: string): string {
    const value = this.filled("url", written).trim();
    const url = URL.canParse(value) ? new URL(value) : undefined;
    if (url === undefined || !/^https?:$/u.test(url.protocol)) {
      this.#refuse("url", "expected an address that begins with http:// or https://");
    } else if (url.username !== "" || url.password !== "") {
      const remedy = "Write it as a header, such as `Authorization`.";
      this.#refuse("url", `must not hold a user name or a password. ${remedy}`);
    }
    return value;
  }

  done(definition: McpServerDefinition, fields: Fields): ParsedDefinition {
    if (this.#fault !== undefined) {
      return { ...refused(this.#fault, fields, definition.transport), unset: this.#unset };
    }
    const secrets = definitionSecrets(definition, this.#values, this.#options.environment);
    return { ok: true, definition, secrets };
  }

  #each(
    field: string,
    written: Readonly<Record<string, string>>,
    read: (place: string, name: string, value: string) => string,
  ): Record<string, string> {
    return Object.fromEntries(
      Object.entries(written).map(([name, value]) => {
        const place = `${field}.${shownKey(name)}`;
        const variable = this.#options.expand ? NO_VARIABLE.exec(value)?.[1] : undefined;
        if (variable !== undefined) {
          this.#refuse(place, `a variable is written \`\${${variable}}\` here`);
        }
        return [name, read(place, name, value)];
      }),
    );
  }

  #expanded(place: string, written: string): string {
    if (!this.#options.expand) return written;
    const expanded = expandVariables(written, this.#options.environment);
    if (expanded.ok) {
      this.#values.push(...expanded.values);
      return expanded.text;
    }
    this.#refuse(place, visibleLine(expanded.fault), expanded.unset);
    return written;
  }

  /** What is wrong in itself goes before a variable that is not set. */
  #refuse(place: string, reason: string, unset = false): void {
    if (this.#fault !== undefined && (unset || !this.#unset)) return;
    this.#fault = `${place}: ${reason}`;
    this.#unset = unset;
  }
}

function transportOf(fields: Fields): McpTransport | { readonly fault: string } {
  const { type } = fields;
  if (type === undefined) return inferredTransport(fields);
  const expected = "type: expected stdio, http or sse";
  if (typeof type !== "string") return { fault: `${expected}, found ${kindOf(type)}` };
  const transport = TYPES.get(type.toLowerCase().replaceAll(/[-_ ]/gu, ""));
  if (transport !== undefined) return transport;
  const meant = closest(type, ["stdio", "http", "sse", "streamable_http"]);
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

function shapeFault(error: z.ZodError, fields: Fields): string {
  const [issue] = error.issues;
  const path = issue?.path ?? [];
  const place = path.map((key) => shownKey(String(key))).join(".");
  const value = path.reduce<unknown>(
    (at, key) => (isJsonObject(at) || Array.isArray(at) ? Reflect.get(at, key) : undefined),
    fields,
  );
  const [first] = path;
  const hint = value === undefined && path.length === 1 ? misspelt(fields, [String(first)]) : "";
  return `${place}: expected ${expectedAt(path)}, found ${foundOf(value)}${hint}`;
}

const EXPECTED: Readonly<Record<string, string>> = {
  command: "the name of a program",
  args: "a list of texts",
  env: "an object of texts",
  headers: "an object of texts",
  cwd: "a folder",
  url: "an address",
  timeoutMs: `milliseconds, a whole number from 1 to ${MAX_MS}`,
  startupTimeoutMs: `milliseconds, a whole number from 1 to ${MAX_MS}`,
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

function refused(
  fault: string,
  fields: Fields,
  transport: McpTransport | null,
): Extract<ParsedDefinition, { ok: false }> {
  return { ok: false, fault, transport, unset: false, secrets: writtenSecrets(fields) };
}

function shownKey(key: string): string {
  const shown = visibleLine(key);
  return shown.length > 64 ? `${shown.slice(0, 64)}…` : shown;
}

function foundOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "number") return "another number";
  if (value === "") return "an empty text";
  return kindOf(value);
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  return typeof value === "string" ? "a text" : `a ${typeof value}`;
}
