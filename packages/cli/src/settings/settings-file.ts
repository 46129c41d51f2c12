import { AcumenError, readTextFile } from "@acumen/core";
import { cliError } from "../errors.ts";
import { plainSettings } from "./plain-settings.ts";
import type { Settings } from "./settings-schema.ts";

export const MAX_SETTINGS_BYTES = 256 * 1024;

export interface SettingsFile {
  readonly path: string;
  /** Undefined when there is no file, which is no fault. */
  readonly text: string | undefined;
  readonly settings: Settings;
}

/**
 * Reads a settings file; a missing one is empty. Parser and schema are loaded only for files that need them.
 * @throws CLI_SETTINGS_FILE_INVALID naming file, line, setting and remedy; also for a folder, a file that may not be
 * read and one over 256 KiB
 */
export async function readSettingsFile(path: string): Promise<SettingsFile> {
  const text = await textOf(path);
  return { path, text, settings: text === undefined ? {} : await settingsOf(path, text) };
}

async function settingsOf(path: string, text: string): Promise<Settings> {
  const { parseJsonWithComments } = await import("@acumen/agent/json");
  const parsed = parseJsonWithComments(text);
  const plain = "fault" in parsed ? undefined : plainSettings(parsed.value);
  if (plain !== undefined) return plain;
  const { parseSettings } = await import("./parse-settings.ts");
  return parseSettings(path, text);
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return withoutMark(await readTextFile(path, { maxBytes: MAX_SETTINGS_BYTES }));
  } catch (error) {
    if (!AcumenError.isInstance(error)) throw error;
    if (error.code === "CORE_FILE_NOT_FOUND") return undefined;
    const message = `The settings file cannot be used: ${error.message} Mend or remove it.`;
    throw cliError("CLI_SETTINGS_FILE_INVALID", message, { cause: error, details: { path } });
  }
}

/** A byte order mark is no fault. */
export function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}
