import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import {
  AcumenError,
  closest,
  errnoOf,
  isJsonObject,
  parseJson,
  readTextFile,
  writeFileAtomic,
} from "@acumen/core";
import { cliError } from "../errors.ts";
import { keyFault, SECRET_NAMES } from "./key-names.ts";

/** Keys by the name of the variable that they stand in for. */
export type StoredKeys = Readonly<Record<string, string>>;

const VERSION = 1;
const MAX_BYTES = 1024 * 1024;
const OTHERS = 0o077;

/**
 * The keys that `acumen setup` keeps; a missing file holds none.
 * @throws CLI_CREDENTIALS_EXPOSED when others may read the file, CLI_CREDENTIALS_INVALID (also for a folder, a file that
 * may not be read and one over 1 MiB); no message holds a key
 */
export async function readStoredKeys(path: string): Promise<StoredKeys> {
  let text: string;
  try {
    text = await readTextFile(path, {
      maxBytes: MAX_BYTES,
      check: async (handle) => refuseExposed(path, await handle.stat()),
    });
  } catch (error) {
    if (!AcumenError.isInstance(error) || !error.code.startsWith("CORE_FILE_")) throw error;
    if (error.code === "CORE_FILE_NOT_FOUND") return {};
    const message = `The file of stored keys cannot be used: ${error.message} Mend or remove it.`;
    throw cliError("CLI_CREDENTIALS_INVALID", message, { cause: error, details: { path } });
  }
  return parseStoredKeys(path, text);
}

/** Replaces the file in one step, readable by its owner alone. */
export async function writeStoredKeys(path: string, keys: StoredKeys): Promise<void> {
  const sorted = Object.entries(keys).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const record = { version: VERSION, keys: Object.fromEntries(sorted) };
  await writeFileAtomic(path, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
}

/** Permission bits of a file, such as `600`; undefined when there is none. */
export async function modeOf(path: string): Promise<string | undefined> {
  try {
    return ((await stat(path)).mode & 0o777).toString(8).padStart(3, "0");
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

function refuseExposed(path: string, { mode }: Stats): void {
  // Windows keeps rights in lists of its own, which these bits do not show.
  if (process.platform === "win32" || (mode & OTHERS) === 0) return;
  const bits = (mode & 0o777).toString(8).padStart(3, "0");
  throw cliError(
    "CLI_CREDENTIALS_EXPOSED",
    `${path} can be read or written by others (mode ${bits}), so no key is taken from it. Run: chmod 600 ${path}`,
    { details: { path, mode: bits } },
  );
}

function parseStoredKeys(path: string, text: string): StoredKeys {
  const record = objectOf(path, text);
  const { version, keys, ...others } = record;
  const [other] = Object.keys(others);
  if (typeof version === "number" && version > VERSION) {
    throw invalid(path, `was written by a newer Acumen (version ${version}; this one reads 1)`);
  }
  if (version !== VERSION || !isJsonObject(keys) || other !== undefined) {
    throw invalid(path, 'must be {"version": 1, "keys": {NAME: KEY}}');
  }
  for (const [name, key] of Object.entries(keys)) {
    if (!SECRET_NAMES.includes(name)) throw invalid(path, unknownName(name));
    const fault = typeof key === "string" ? keyFault(key) : "is no text";
    if (fault !== undefined) throw invalid(path, `the key ${name} ${fault}`);
  }
  return keys as StoredKeys;
}

function objectOf(path: string, text: string): Record<string, unknown> {
  try {
    const value = parseJson(text);
    if (isJsonObject(value)) return value;
  } catch (error) {
    if (!AcumenError.isInstance(error)) throw error;
    // Without its cause: the parser's own message quotes the text, which may be a key.
    throw invalid(path, error.message.replace(/^The text is/, "is").replace(/\.$/, ""));
  }
  throw invalid(path, 'must be {"version": 1, "keys": {NAME: KEY}}');
}

/** A name of no usual form is not repeated: it may be the key itself. */
function unknownName(name: string): string {
  if (!/^[A-Z][A-Z_]{2,63}$/.test(name)) return "names a variable that no provider uses";
  const meant = closest(name, SECRET_NAMES);
  return `${name} is no variable of a provider${meant === undefined ? "" : ` (did you mean ${meant}?)`}`;
}

function invalid(path: string, reason: string): AcumenError {
  return cliError("CLI_CREDENTIALS_INVALID", `${path} ${reason}. Mend or remove it.`, {
    details: { path },
  });
}
