import { isJsonObject } from "@acumen/core";
import { cleanText, cutText } from "./clean-text.ts";
import { SKILLBOOK_LIMITS } from "./skill.ts";
import { type InsightSource, SKILL_ORIGINS, type SkillOrigin } from "./source.ts";

/** A source as it lies on disk: the record of the Python original plus `origin` and `notes`, which it ignores. */
export interface SourceRecord {
  trace_uid: string;
  source_system: string;
  trace_id: string;
  display_name?: string;
  relation?: string;
  sample_question?: string;
  epoch?: number;
  operation_type?: string;
  error_identification?: string;
  learning_text?: string;
  origin?: string;
  notes?: Readonly<Record<string, unknown>>;
}

/** Names are shown in lists, texts are notes about a lesson: both are cut, not refused. */
const NAME_CHARS = 256;
const NOTES_CHARS = 4_000;
const NOTES_DEPTH = 8;

const TEXT_FIELDS = [
  ["displayName", "display_name", NAME_CHARS],
  ["sampleQuestion", "sample_question", SKILLBOOK_LIMITS.textChars],
  ["operationType", "operation_type", NAME_CHARS],
  ["errorIdentification", "error_identification", SKILLBOOK_LIMITS.textChars],
  ["learningText", "learning_text", SKILLBOOK_LIMITS.textChars],
] as const;

const KNOWN = new Set<string>([
  "traceUid",
  "trace_uid",
  "sourceSystem",
  "source_system",
  "traceId",
  "trace_id",
  "relation",
  "epoch",
  "origin",
  "notes",
  ...TEXT_FIELDS.flatMap(([camel, snake]) => [camel, snake]),
]);

/** Ids of a trace in records that were written before sources had a layout. */
const LEGACY_IDS = ["sample_id", "item_id", "task_id", "id"] as const;

/**
 * Reads one source in either spelling (camelCase or the original's snake_case). Texts are cleaned and cut, unknown keys
 * move to `notes`. `undefined` when the value is no object.
 */
export function parseSource(value: unknown): InsightSource | undefined {
  if (!isJsonObject(value)) return undefined;
  const { traceUid, sourceSystem, traceId } = traceIdentity(value);
  const source: { -readonly [Key in keyof InsightSource]: InsightSource[Key] } = {
    traceUid,
    sourceSystem,
    traceId,
    relation: value["relation"] === "supporting" ? "supporting" : "seed",
  };
  for (const [camel, snake, limit] of TEXT_FIELDS) {
    const text = textOf(value, camel, snake, limit);
    if (text !== undefined) source[camel] = text;
  }
  const { epoch, origin } = value;
  if (typeof epoch === "number" && Number.isSafeInteger(epoch)) source.epoch = epoch;
  if (isOrigin(origin)) source.origin = origin;
  const notes = notesOf(value);
  if (notes) source.notes = notes;
  return source;
}

/** Reads a list of sources (or a single one). `dropped` counts what is no source, and sources beyond the 32 that a skill keeps. */
export function parseSources(value: unknown): {
  sources: readonly InsightSource[];
  dropped: number;
} {
  if (value === undefined || value === null) return { sources: [], dropped: 0 };
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  const read = items.map(parseSource).filter((source) => source !== undefined);
  const distinct =
    read.length < 2 ? read : [...new Map(read.map((each) => [sourceKey(each), each])).values()];
  const sources = distinct.slice(0, SKILLBOOK_LIMITS.sourcesPerSkill);
  return { sources, dropped: items.length - read.length + distinct.length - sources.length };
}

/** `current` plus those of `more` that it lacks, equal records once, at most 32: the earliest stay. */
export function uniteSources(
  current: readonly InsightSource[],
  more: readonly InsightSource[],
): readonly InsightSource[] {
  if (more.length === 0) return current;
  if (current.length === 0 && more.length === 1) return more;
  const seen = new Set(current.map(sourceKey));
  const united = [...current];
  for (const source of more) {
    if (united.length >= SKILLBOOK_LIMITS.sourcesPerSkill) break;
    const key = sourceKey(source);
    if (seen.has(key)) continue;
    seen.add(key);
    united.push(source);
  }
  return united.length === current.length ? current : united;
}

/** Built field by field: conditional spreads take five times as long, and a book can hold 640,000 sources. */
export function toSourceRecord(source: InsightSource): SourceRecord {
  const record: SourceRecord = {
    trace_uid: source.traceUid,
    source_system: source.sourceSystem,
    trace_id: source.traceId,
  };
  if (source.displayName !== undefined) record.display_name = source.displayName;
  record.relation = source.relation;
  if (source.sampleQuestion !== undefined) record.sample_question = source.sampleQuestion;
  if (source.epoch !== undefined) record.epoch = source.epoch;
  if (source.operationType !== undefined) record.operation_type = source.operationType;
  if (source.errorIdentification !== undefined) {
    record.error_identification = source.errorIdentification;
  }
  if (source.learningText !== undefined) record.learning_text = source.learningText;
  if (source.origin !== undefined) record.origin = source.origin;
  if (source.notes !== undefined) record.notes = source.notes;
  return record;
}

/** The record that stands for an origin when nothing more is known about it. */
export function originSource(origin: SkillOrigin, traceId = "unknown"): InsightSource {
  return {
    traceUid: `${origin}:${traceId}`,
    sourceSystem: origin,
    traceId,
    relation: "seed",
    origin,
  };
}

function sourceKey(source: InsightSource): string {
  return JSON.stringify(toSourceRecord(source));
}

function isOrigin(value: unknown): value is SkillOrigin {
  return SKILL_ORIGINS.some((origin) => origin === value);
}

function traceIdentity(value: Record<string, unknown>): {
  traceUid: string;
  sourceSystem: string;
  traceId: string;
} {
  const uid = textOf(value, "traceUid", "trace_uid", 2 * NAME_CHARS);
  const colon = uid?.indexOf(":") ?? -1;
  const sourceSystem =
    textOf(value, "sourceSystem", "source_system", NAME_CHARS) ??
    (uid !== undefined && colon > 0 ? uid.slice(0, colon) : "legacy");
  const traceId =
    textOf(value, "traceId", "trace_id", NAME_CHARS) ??
    (uid !== undefined && colon > 0 ? uid.slice(colon + 1) : undefined) ??
    LEGACY_IDS.map((key) => nameOf(value[key])).find((id) => id !== undefined) ??
    uid ??
    "unknown";
  return { traceUid: uid ?? `${sourceSystem}:${traceId}`, sourceSystem, traceId };
}

function nameOf(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value.trim() !== ""
    ? cutText(cleanText(value), NAME_CHARS)
    : undefined;
}

function textOf(
  value: Record<string, unknown>,
  camel: string,
  snake: string,
  limit: number,
): string | undefined {
  const raw = value[camel] ?? value[snake];
  if (typeof raw === "number") return String(raw);
  if (typeof raw !== "string") return undefined;
  return cutText(cleanText(raw), limit) || undefined;
}

function notesOf(value: Record<string, unknown>): Record<string, unknown> | undefined {
  const unknown = Object.keys(value).filter((key) => !KNOWN.has(key) && value[key] !== null);
  const given = isJsonObject(value["notes"]) ? value["notes"] : undefined;
  if (unknown.length === 0 && !given) return undefined;
  return boundedNotes(
    Object.fromEntries([
      ...Object.entries(given ?? {}),
      ...unknown.map((key) => [key, value[key]] as const),
    ]),
  );
}

/** A private copy of notes with cleaned texts; `undefined` when they are no JSON or over 4,000 characters. */
export function boundedNotes(notes: Record<string, unknown>): Record<string, unknown> | undefined {
  try {
    const copy = cleanJson(notes, NOTES_DEPTH);
    if (!isJsonObject(copy) || JSON.stringify(copy).length > NOTES_CHARS) return undefined;
    return Object.keys(copy).length === 0 ? undefined : copy;
  } catch {
    return undefined;
  }
}

function cleanJson(value: unknown, depth: number): unknown {
  if (typeof value === "string") return cleanText(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "object" || value === null) return typeof value === "boolean" ? value : null;
  if (depth === 0) return null;
  if (Array.isArray(value)) return value.map((item) => cleanJson(item, depth - 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [cleanText(key), cleanJson(item, depth - 1)]),
  );
}
