import { dirname } from "node:path";
import {
  AcumenError,
  ensureFolder,
  type HandleCheck,
  parseJson,
  readTextFile,
  writeFileAtomic,
} from "@acumen/core";
import { aceError } from "../errors.ts";
import type { LoadReport } from "./load.ts";
import { notASkillbook } from "./migrate.ts";
import { SKILLBOOK_LIMITS } from "./skill.ts";
import { Skillbook, type SkillbookOptions } from "./skillbook.ts";

/** `details.reason` of everything that loading or saving throws (beside CORE_ABORTED and what a `check` throws). */
export const SKILLBOOK_FILE_REASONS = [
  "not_found",
  "not_a_file",
  "unreadable",
  "not_a_skillbook",
  "newer_version",
  "too_large",
  "not_writable",
] as const;
export type SkillbookFileReason = (typeof SKILLBOOK_FILE_REASONS)[number];

export interface LoadOptions extends SkillbookOptions {
  /** Looks at the open file before the first byte is read; throws to refuse it. */
  readonly check?: HandleCheck;
}

export interface SaveOptions {
  readonly signal?: AbortSignal;
  /** Looks at the open temp file before the first byte is written; throws to refuse it. */
  readonly check?: HandleCheck;
}

/**
 * Loads a book that we or the Python original (pre-0.7, 0.8, 0.9, schema version 2) saved; at most 32 MiB.
 * @throws an AcumenError whose `details` hold `path` and `reason` (see {@link SKILLBOOK_FILE_REASONS}).
 */
export async function loadSkillbook(
  path: string,
  options: LoadOptions = {},
): Promise<{ skillbook: Skillbook; report: LoadReport }> {
  const { check, ...rest } = options;
  try {
    const text = await readTextFile(path, {
      maxBytes: SKILLBOOK_LIMITS.fileBytes,
      ...(check && { check }),
    });
    return Skillbook.fromRecord(parseBook(text), rest);
  } catch (error) {
    throw withReason(error, path);
  }
}

/**
 * Saves a book in one step (readers and crashes see the old file or the new one) and creates missing parent folders. `skills` of the
 * result counts active skills.
 * @throws an AcumenError whose `details` hold `path` and `reason` (`not_writable`, `too_large`); CORE_ABORTED.
 */
export async function saveSkillbook(
  skillbook: Skillbook,
  path: string,
  options: SaveOptions = {},
): Promise<{ path: string; skills: number }> {
  const skills = skillbook.size;
  try {
    const bytes = printBook(skillbook);
    await ensureFolder(dirname(path));
    await writeFileAtomic(path, bytes, options);
  } catch (error) {
    throw withReason(error, path);
  }
  return { path, skills };
}

/**
 * The bytes of a file: two-space indent as in the original; a book that fits the limit only without it is printed compactly.
 * @throws ACE_SKILLBOOK_TOO_LARGE for a book of more than `maxBytes`, which could not be loaded again
 */
export function printBook(
  skillbook: Skillbook,
  maxBytes: number = SKILLBOOK_LIMITS.fileBytes,
): Uint8Array {
  const record = skillbook.toRecord();
  for (const indent of [2, 0]) {
    const bytes = Buffer.from(`${JSON.stringify(record, null, indent)}\n`);
    if (bytes.byteLength <= maxBytes) return bytes;
  }
  throw aceError(
    "ACE_SKILLBOOK_TOO_LARGE",
    `The skillbook would take more than ${maxBytes} bytes, which could not be loaded again. Merge near-duplicates and purge removed skills first.`,
    { details: { reason: "too_large", limit: maxBytes } },
  );
}

function parseBook(text: string): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    throw notASkillbook("it is not valid JSON", cause);
  }
}

const REASONS: Readonly<Record<string, SkillbookFileReason>> = {
  CORE_FILE_NOT_FOUND: "not_found",
  CORE_FILE_TOO_LARGE: "too_large",
  CORE_FILE_NOT_WRITABLE: "not_writable",
  CORE_FILE_UNREADABLE: "unreadable",
};

/** The same error with `details.path` and `details.reason`, so that an edge needs no table of file codes. */
function withReason(error: unknown, path: string): unknown {
  if (!AcumenError.isInstance(error)) return error;
  const reason = error.details["reason"] ?? REASONS[error.code];
  if (reason === undefined) return error;
  return new AcumenError({
    code: error.code,
    message: error.message.includes(path) ? error.message : `${path}: ${error.message}`,
    details: { ...error.details, path, reason },
    cause: error.cause,
    retryable: error.retryable,
  });
}
