import { createHash } from "node:crypto";
import { visibleLine } from "../../text/visible-text.ts";
import { definitionNotes } from "./definition-notes.ts";
import { parseServerDefinition, type ParseDefinitionOptions } from "./parse-server-definition.ts";
import type { ResolvedMcpServer } from "./resolved-config.ts";
import { isServerName, nameFault } from "./server-name.ts";

/** Where a definition stands, for its faults. */
export interface DefinitionPlace {
  readonly source: ResolvedMcpServer["source"];
  /** What the name is a key of. */
  readonly key: string;
  /** Absent: a host handed it over. */
  readonly file?: string;
}

/** A server that is defined, whether or not it can be used. */
export function resolveServer(
  name: string,
  raw: unknown,
  { source, key, file }: DefinitionPlace,
  options: ParseDefinitionOptions,
): Omit<ResolvedMcpServer, "enabled"> {
  const parsed = parseServerDefinition(raw, options);
  const notes = isServerName(name) ? definitionNotes(name, raw) : [];
  const base = {
    name,
    source,
    missing: false,
    secrets: parsed.secrets,
    ...(notes.length > 0 && { notes }),
  };
  const badName = isServerName(name) ? undefined : `the name cannot be used: ${nameFault(name)}`;
  if (parsed.ok && badName === undefined) {
    const { definition } = parsed;
    const fingerprint = fingerprintOf(definition);
    return { ...base, transport: definition.transport, definition, fingerprint };
  }
  const transport = parsed.ok ? parsed.definition.transport : parsed.transport;
  const reason = badName ?? (parsed.ok ? "" : parsed.fault);
  const shown = visibleLine(name.length > 80 ? `${name.slice(0, 80)}…` : name);
  const dot = /[.?!]$/u.test(reason) ? "" : ".";
  const where = file === undefined ? "" : ` (${file})`;
  const fault = `${key}.${shown}${separator(reason)}${reason}${dot}${where}`;
  return { ...base, transport, fault, fingerprint: fingerprintOf({ raw, fault }) };
}

/** A server that is enabled and has no usable definition: there is none, or the file of it cannot be read. */
export function undefinedServer(name: string, fault?: string): Omit<ResolvedMcpServer, "enabled"> {
  return {
    name,
    source: "machine",
    transport: null,
    missing: fault === undefined,
    ...(fault !== undefined && { fault }),
    fingerprint: fingerprintOf({ missing: name, fault }),
    secrets: [],
  };
}

/** A fault begins with a place within the definition, or is about all of it. */
function separator(reason: string): string {
  return /^[A-Za-z][\w.-]*: /u.test(reason) ? "." : ": ";
}

/** The order of keys says nothing, that of a list does. */
function fingerprintOf(value: unknown): string {
  let text: string;
  try {
    text = JSON.stringify(value, (_key, part: unknown) => sorted(part)) ?? "";
  } catch {
    // It refers to itself or nests too deep, which only a host can hand over; it is faulty anyway.
    text = String(value);
  }
  return createHash("sha256").update(text).digest("hex");
}

function sorted(part: unknown): unknown {
  if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
  return Object.fromEntries(
    Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}
