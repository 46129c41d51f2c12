import { AcumenError, closest, readTextFile } from "@acumen/core";
import { MODEL_PREFIXES } from "@acumen/models";
import type { z } from "zod";
import { cliError } from "../errors.ts";
import { parseJsonWithComments, type Place } from "./json-with-comments.ts";
import { type Settings, settingsSchema } from "./settings-schema.ts";

const MAX_BYTES = 256 * 1024;

export interface SettingsFile {
  readonly path: string;
  /** Undefined when there is no file, which is no fault. */
  readonly text: string | undefined;
  readonly settings: Settings;
}

/**
 * Reads a settings file; a missing one is empty.
 * @throws CLI_SETTINGS_FILE_INVALID naming file, line, setting and remedy; also for a folder, a file that may not be
 * read and one over 256 KiB
 */
export async function readSettingsFile(path: string): Promise<SettingsFile> {
  const text = await textOf(path);
  return { path, text, settings: text === undefined ? {} : parseSettings(path, text) };
}

/** @throws CLI_SETTINGS_FILE_INVALID */
export function parseSettings(path: string, text: string): Settings {
  const parsed = parseJsonWithComments(text);
  if ("fault" in parsed) throw invalid(path, parsed.fault, parsed.fault.text);
  const result = settingsSchema.safeParse(parsed.value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys[0] : undefined;
  const at = (issue?.path ?? []).filter((key) => typeof key !== "symbol");
  const where = unknown === undefined ? at : [...at, unknown];
  throw invalid(path, parsed.placeOf(where), reasonOf(issue, at, unknown), where.join("."));
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    const text = await readTextFile(path, { maxBytes: MAX_BYTES });
    return text.startsWith("\uFEFF") ? text.slice(1) : text;
  } catch (error) {
    if (!AcumenError.isInstance(error)) throw error;
    if (error.code === "CORE_FILE_NOT_FOUND") return undefined;
    const message = `The settings file cannot be used: ${error.message} Mend or remove it.`;
    throw cliError("CLI_SETTINGS_FILE_INVALID", message, { cause: error, details: { path } });
  }
}

function reasonOf(
  issue: z.core.$ZodIssue | undefined,
  at: readonly (string | number)[],
  unknown: string | undefined,
): string {
  if (unknown !== undefined) return unknownKey(unknown, at[0] === "endpoints");
  const name = at.length === 0 ? "the file" : `"${at.join(".")}"`;
  if (issue?.code === "invalid_type") return `${name} must be a JSON ${issue.expected}`;
  return `${name}: ${(issue?.message ?? "is not valid").replace(/\.$/, "")}`;
}

function unknownKey(key: string, isProvider: boolean): string {
  if (/key|token|secret|password/i.test(key)) {
    return `"${key}" is no setting: keys do not belong here, \`acumen setup\` keeps them in a file of their own`;
  }
  const names = isProvider ? MODEL_PREFIXES : Object.keys(settingsSchema.shape);
  const meant = closest(key, names);
  const hint =
    meant === undefined
      ? `There ${isProvider ? "are" : "is"} ${names.join(", ")}`
      : `Did you mean "${meant}"?`;
  return `"${key}" is no ${isProvider ? "provider" : "setting"}. ${hint}`;
}

function invalid(path: string, { line, column }: Place, reason: string, setting = ""): AcumenError {
  const end = /[.?!]$/.test(reason) ? "" : ".";
  return cliError("CLI_SETTINGS_FILE_INVALID", `${path}:${line}:${column}: ${reason}${end}`, {
    details: { path, line, column, ...(setting !== "" && { setting }) },
  });
}
