import { createHash } from "node:crypto";
import { isJsonObject } from "@acumen/core";
import type { Sample } from "../../evaluation/evaluation.ts";
import { cleanLine, cutText } from "../../skillbook/clean-text.ts";

/** Which piece of experience a lesson came from. */
export interface TraceIdentity {
  readonly sourceSystem: string;
  readonly traceId: string;
  readonly displayName?: string;
}

export interface IdentityHints {
  /** Metadata of the sample, then the trace itself: searched in this order. */
  readonly records: readonly unknown[];
  readonly sampleId?: string | undefined;
  /** What the identity is computed from when nobody names it. */
  readonly content: unknown;
  /** Used where the experience does not name its system. */
  readonly defaultSystem: string;
}

const EXPLICIT_KEYS = ["ace.trace_identity", "trace_identity", "traceIdentity"];
const ID_KEYS = ["trace_id", "sample_id", "item_id", "task_id", "id"];
const NAME_CHARS = 200;

/**
 * Identity of an experience, by the search order of the Python original: an explicit trace identity in a record, then the
 * usual id keys, then the sample's own id (system `sample`), else SHA-256 over its JSON with sorted keys.
 */
export function identify(hints: IdentityHints): TraceIdentity {
  for (const record of hints.records) {
    const found = isJsonObject(record) ? fromRecord(record, hints.defaultSystem) : undefined;
    if (found) return found;
  }
  const sampleId = nameOf(hints.sampleId);
  if (sampleId !== undefined) {
    return { sourceSystem: "sample", traceId: sampleId, displayName: sampleId };
  }
  return { sourceSystem: hints.defaultSystem, traceId: hashOf(hints.content) };
}

/** {@link identify} for a sample that this engine answers itself. */
export function identifySample(sample: Sample): TraceIdentity {
  const { question, context = "", groundTruth = null } = sample;
  return identify({
    records: [sample.metadata],
    sampleId: sample.id,
    content: { question, context, ground_truth: groundTruth },
    defaultSystem: "sample",
  });
}

function fromRecord(
  record: Record<string, unknown>,
  defaultSystem: string,
): TraceIdentity | undefined {
  for (const key of EXPLICIT_KEYS) {
    const explicit = fromExplicit(record[key], defaultSystem);
    if (explicit) return explicit;
  }
  const id = ID_KEYS.map((key) => nameOf(record[key])).find((name) => name !== undefined);
  return id === undefined
    ? undefined
    : { sourceSystem: nameOf(record["source_system"]) ?? defaultSystem, traceId: id };
}

/** `"<system>:<id>"`, or `{trace_id, source_system?, trace_uid?, display_name?}`, also in camelCase. */
function fromExplicit(value: unknown, defaultSystem: string): TraceIdentity | undefined {
  const record = isJsonObject(value) ? value : { trace_uid: value };
  const uid = splitUid(nameOf(record["trace_uid"] ?? record["traceUid"]));
  const traceId = nameOf(record["trace_id"] ?? record["traceId"]) ?? uid.id;
  if (traceId === undefined) return undefined;
  const system = nameOf(record["source_system"] ?? record["sourceSystem"]) ?? uid.system;
  const displayName = nameOf(record["display_name"] ?? record["displayName"]);
  return {
    sourceSystem: system ?? defaultSystem,
    traceId,
    ...(displayName !== undefined && { displayName }),
  };
}

function splitUid(uid: string | undefined): { system?: string; id?: string } {
  const colon = uid?.indexOf(":") ?? -1;
  if (uid === undefined) return {};
  return colon > 0 && colon < uid.length - 1
    ? { system: uid.slice(0, colon), id: uid.slice(colon + 1) }
    : { id: uid };
}

/** Ids may come from foreign files: one line, no control characters, bounded. */
function nameOf(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  if (typeof value !== "string") return undefined;
  return cutText(cleanLine(value), NAME_CHARS) || undefined;
}

function hashOf(content: unknown): string {
  return createHash("sha256").update(sortedJson(content)).digest("hex");
}

function sortedJson(value: unknown): string {
  const parents: unknown[] = [];
  const sort = (item: unknown): unknown => {
    if (typeof item === "bigint") return String(item);
    if (typeof item !== "object" || item === null) return item;
    // Cyclic or bottomless values still need an identity; what lies deeper than this does not change it.
    if (parents.length > 100 || parents.includes(item)) return null;
    parents.push(item);
    const sorted = Array.isArray(item)
      ? item.map(sort)
      : Object.fromEntries(
          Object.entries(item)
            .toSorted(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, nested]) => [key, sort(nested)]),
        );
    parents.pop();
    return sorted;
  };
  return JSON.stringify(sort(value)) ?? "undefined";
}
