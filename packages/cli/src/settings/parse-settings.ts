import { parseJsonWithComments, type TextPlace } from "@acumen/agent/json";
import { type AcumenError, closest } from "@acumen/core";
import { z } from "zod";
import { cliError } from "../errors.ts";
import { MAX_SETTINGS_BYTES, withoutMark } from "./settings-file.ts";
import {
  type Settings,
  settingsSchema,
  type WorkspaceSettings,
  workspaceSettingsSchema,
} from "./settings-schema.ts";

/** @throws CLI_SETTINGS_FILE_INVALID */
export function parseSettings(path: string, text: string): Settings {
  return parsedAs(settingsSchema, path, text);
}

/**
 * What a trusted workspace brings in `.acumen/config.json`.
 * @param path names the file in messages
 * @throws CLI_SETTINGS_FILE_INVALID, also for a setting that only the user's own file may hold
 */
export function parseWorkspaceSettings(path: string, bytes: Uint8Array): WorkspaceSettings {
  if (bytes.byteLength > MAX_SETTINGS_BYTES) {
    const reason = `is larger than ${MAX_SETTINGS_BYTES / 1024} KiB`;
    throw invalid(path, { line: 1, column: 1 }, reason);
  }
  return parsedAs(workspaceSettingsSchema, path, withoutMark(Buffer.from(bytes).toString("utf8")));
}

function parsedAs<Schema extends z.ZodObject>(
  schema: Schema,
  path: string,
  text: string,
): z.output<Schema> {
  const parsed = parseJsonWithComments(text);
  if ("fault" in parsed) throw invalid(path, parsed.fault, parsed.fault.text);
  const result = schema.safeParse(parsed.value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys[0] : undefined;
  const at = (issue?.path ?? []).filter((key) => typeof key !== "symbol");
  const where = unknown === undefined ? at : [...at, unknown];
  const reason =
    unknown === undefined ? reasonOf(issue, at) : unknownKey(unknown, at, schema.shape);
  throw invalid(path, parsed.placeOf(where), reason, where.join("."));
}

function reasonOf(issue: z.core.$ZodIssue | undefined, at: readonly (string | number)[]): string {
  const name = at.length === 0 ? "the file" : `"${at.join(".")}"`;
  if (issue?.code === "invalid_type") return `${name} must be ${typeNames(issue.expected)}`;
  if (issue?.code === "invalid_value") return `${name} must be one of ${issue.values.join(", ")}`;
  return `${name}: ${(issue?.message ?? "is not valid").replace(/\.$/, "")}`;
}

function typeNames(expected: string): string {
  return expected === "int" ? "a whole number" : `a JSON ${expected}`;
}

type Shape = z.core.$ZodShape;

/** `at` is where the key stands, `shape` what the file may hold at its top. */
function unknownKey(key: string, at: readonly (string | number)[], shape: Shape): string {
  const names = Object.keys(shapeAt(shape, at));
  const meant = meantName(key, names);
  if (Object.hasOwn(shapeAt(settingsSchema.shape, at), key)) {
    const setting = [...at, key].join(".");
    return `"${setting}" does not count in a workspace; it belongs into your own settings file. A workspace may set ${names.join(", ")}`;
  }
  if (meant === undefined && /key|token|secret|password/i.test(key)) {
    return `"${key}" is no setting: keys do not belong here, \`acumen setup\` keeps them in a file of their own`;
  }
  const isProvider = at[0] === "endpoints";
  const there = at.length === 0 || isProvider ? "" : ` of "${at.join(".")}"`;
  const list = `There ${isProvider || there !== "" ? "are" : "is"} ${names.join(", ")}`;
  const hint = meant === undefined ? list : `Did you mean "${meant}"?`;
  return `"${key}" is no ${isProvider ? "provider" : "setting"}${there}. ${hint}`;
}

/** Swapped letters first: `modle` is nearer to `mode` by count, and yet it is `model`. */
function meantName(key: string, names: readonly string[]): string | undefined {
  const letters = lettersOf(key);
  return names.find((name) => lettersOf(name) === letters) ?? closest(key, names);
}

function lettersOf(word: string): string {
  return Array.from(word.toLowerCase()).toSorted().join("");
}

function shapeAt(shape: Shape, at: readonly (string | number)[]): Shape {
  let found = shape;
  for (const key of at) {
    const field = found[String(key)];
    const inner = field instanceof z.ZodExactOptional ? field.unwrap() : field;
    found = inner instanceof z.ZodObject ? inner.shape : {};
  }
  return found;
}

function invalid(
  path: string,
  { line, column }: TextPlace,
  reason: string,
  setting = "",
): AcumenError {
  const end = /[.?!]$/.test(reason) ? "" : ".";
  return cliError("CLI_SETTINGS_FILE_INVALID", `${path}:${line}:${column}: ${reason}${end}`, {
    details: { path, line, column, ...(setting !== "" && { setting }) },
  });
}
