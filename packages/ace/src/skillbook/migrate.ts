import { type AcumenError, isJsonObject } from "@acumen/core";
import { aceError } from "../errors.ts";
import { SKILLBOOK_FORMAT, SKILLBOOK_VERSION } from "./serialise.ts";

/**
 * Formats of the Python original that load here: pre-0.7 (`bullets`), 0.8 (counters in each skill), 0.9 (none) and schema version 2
 * (issue and insight instead of content).
 */
export type ForeignFormat = "ace-bullets" | "ace-0.8" | "ace-0.9" | "ace-v2";

export interface RecognisedBook {
  readonly book: Record<string, unknown>;
  /** Map key (`undefined` in a list) and skill record, as they stand in the file. */
  readonly entries: readonly (readonly [string | undefined, unknown])[];
  /** `null` for our own format. */
  readonly migratedFrom: ForeignFormat | null;
}

/**
 * Tells what kind of book a parsed file holds.
 * @throws ACE_SKILLBOOK_INVALID (`details.reason` not_a_skillbook), ACE_SKILLBOOK_NEWER (`details.reason` newer_version).
 */
export function recogniseBook(value: unknown): RecognisedBook {
  if (!isJsonObject(value)) throw notASkillbook("it is not a JSON object");
  const own = value["format"] === SKILLBOOK_FORMAT;
  if (!own && value["format"] !== undefined) throw notASkillbook(`its "format" is another one`);
  refuseNewer(value, own);
  const skills = entriesOf(value["skills"], "skills");
  const bullets = entriesOf(value["bullets"], "bullets");
  if (!skills && !bullets) throw notASkillbook(`it has neither "skills" nor "bullets"`);
  const entries = [...(skills ?? []), ...(bullets ?? [])];
  if (!own && !looksLikeABook(value, entries)) throw notASkillbook("none of its skills is one");
  return { book: value, entries, migratedFrom: own ? null : foreignFormat(value, skills, entries) };
}

/** Other files have a key "skills" too (a CV, a game): they must neither load as an empty book nor be overwritten as one. */
function looksLikeABook(
  book: Record<string, unknown>,
  entries: readonly (readonly [string | undefined, unknown])[],
): boolean {
  const known = ["sections", "next_id", "similarity_decisions", "schema_version"];
  return (
    entries.length === 0 ||
    known.some((key) => key in book) ||
    entries.some(
      ([, skill]) =>
        isJsonObject(skill) && ["section", "content", "issue"].some((key) => key in skill),
    )
  );
}

/**
 * One record of the original's schema version 2 in the layout of version 1. What has no field there goes into the `notes` of a source.
 */
export function fromVersion2(record: Record<string, unknown>): Record<string, unknown> {
  const { issue, insight, keywords, occurrences, active } = record;
  const texts = [issue, insight].filter((text) => typeof text === "string" && text.trim() !== "");
  const notes = {
    ...(Array.isArray(keywords) && keywords.length > 0 && { keywords: keywords as unknown[] }),
    ...(typeof record["used_count"] === "number" &&
      record["used_count"] > 0 && { used_count: record["used_count"] }),
  };
  const known: readonly unknown[] = Array.isArray(occurrences) ? occurrences : [];
  return {
    id: record["id"],
    section: record["section"],
    content: [...new Set(texts)].join("\n"),
    helpful: record["helpful_count"],
    harmful: record["harmful_count"],
    neutral: record["neutral_count"],
    created_at: record["created_at"],
    updated_at: record["updated_at"],
    status: active === false ? "invalid" : "active",
    sources: Object.keys(notes).length === 0 ? known : [fileSource("ace-v2", notes), ...known],
    embedding: record["embedding"],
  };
}

/** The source that says "came with a file of that format", for skills that bring none of their own. */
export function fileSource(
  format: ForeignFormat,
  notes?: Record<string, unknown>,
): Record<string, unknown> {
  return {
    trace_uid: `file:${format}`,
    source_system: "file",
    trace_id: format,
    relation: "seed",
    origin: "file",
    ...(notes && { notes }),
  };
}

function foreignFormat(
  book: Record<string, unknown>,
  skills: readonly unknown[] | undefined,
  entries: readonly (readonly [string | undefined, unknown])[],
): ForeignFormat {
  if (schemaVersion(book) === 2) return "ace-v2";
  if (!skills || (skills.length === 0 && entries.length > 0)) return "ace-bullets";
  const counted = entries.some(([, skill]) => isJsonObject(skill) && "helpful" in skill);
  return counted ? "ace-0.8" : "ace-0.9";
}

function refuseNewer(book: Record<string, unknown>, own: boolean): void {
  const version = own ? book["version"] : undefined;
  if (typeof version === "number" && version > SKILLBOOK_VERSION) {
    throw newer(`version ${version}`, `version ${SKILLBOOK_VERSION}`);
  }
  const schema = schemaVersion(book);
  if (schema > 2) throw newer(`schema_version ${schema}`, "schema_version 2");
}

function schemaVersion(book: Record<string, unknown>): number {
  const version = Number(book["schema_version"] ?? 1);
  return Number.isNaN(version) ? 1 : version;
}

function entriesOf(
  value: unknown,
  key: string,
): readonly (readonly [string | undefined, unknown])[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value)) return value.map((item: unknown) => [undefined, item] as const);
  if (isJsonObject(value)) return Object.entries(value);
  throw notASkillbook(`its "${key}" is neither an object nor a list`);
}

function newer(found: string, known: string): AcumenError {
  return aceError(
    "ACE_SKILLBOOK_NEWER",
    `The skillbook has ${found}; this version of Acumen reads up to ${known}. Update Acumen, or save the book with the older version.`,
    { details: { reason: "newer_version", found, known } },
  );
}

export function notASkillbook(why: string, cause?: unknown): AcumenError {
  return aceError(
    "ACE_SKILLBOOK_INVALID",
    `This is not a skillbook: ${why}. Give a file that Acumen or the Python original has saved.`,
    { details: { reason: "not_a_skillbook", why }, ...(cause !== undefined && { cause }) },
  );
}
