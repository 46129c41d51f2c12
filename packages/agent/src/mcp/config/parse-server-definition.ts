import { isJsonObject } from "@acumen/core";
import { definitionSecrets, writtenSecrets } from "./definition-secrets.ts";
import { kindOf, remoteFields, shapeFault, stdioFields, transportOf } from "./definition-shape.ts";
import { DefinitionTexts, type DefinitionTextsOptions } from "./definition-texts.ts";
import { type Fields, inOurWords } from "./foreign-definition.ts";
import type { ConflictPolicy, McpServerDefinition, McpTransport } from "./server-definition.ts";

export interface ParseDefinitionOptions extends DefinitionTextsOptions {
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
  const texts = new DefinitionTexts(options);
  const definition = {
    transport: "stdio",
    ...rest,
    onConflict: onConflict ?? options.onConflict ?? "reject",
    command: texts.program(command),
    args: args.map((arg, index) => texts.plain(`args.${index}`, arg)),
    env: texts.variables(env),
    ...(cwd !== undefined && { cwd: texts.folder(cwd) }),
  } as const;
  return concluded(definition, texts, fields, options);
}

function parseRemote(
  fields: Fields,
  transport: "http" | "sse",
  options: ParseDefinitionOptions,
): ParsedDefinition {
  const shape = remoteFields.safeParse(fields);
  if (!shape.success) return refused(shapeFault(shape.error, fields), fields, transport);
  const { url, headers, onConflict, ...rest } = shape.data;
  const texts = new DefinitionTexts(options);
  const definition = {
    transport,
    ...rest,
    onConflict: onConflict ?? options.onConflict ?? "reject",
    url: texts.address(url),
    headers: texts.headers(headers),
  } as const;
  return concluded(definition, texts, fields, options);
}

function concluded(
  definition: McpServerDefinition,
  { fault, values }: DefinitionTexts,
  fields: Fields,
  { environment }: ParseDefinitionOptions,
): ParsedDefinition {
  if (fault !== undefined) {
    return { ...refused(fault.text, fields, definition.transport), unset: fault.unset };
  }
  return { ok: true, definition, secrets: definitionSecrets(definition, values, environment) };
}

function refused(
  fault: string,
  fields: Fields,
  transport: McpTransport | null,
): Extract<ParsedDefinition, { ok: false }> {
  return { ok: false, fault, transport, unset: false, secrets: writtenSecrets(fields) };
}
