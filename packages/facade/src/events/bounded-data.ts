import type { JsonObject, JsonValue } from "../envelope/json-value.ts";

/** Bytes of JSON that the data of one event may take. */
export const MAX_DATA_BYTES = 64 * 1024;

/** Each step keeps less; the last one fits whatever came in. */
const STEPS = [
  { chars: 16_384, items: 1_000, depth: 16 },
  { chars: 4_096, items: 250, depth: 12 },
  { chars: 1_024, items: 60, depth: 8 },
  { chars: 256, items: 12, depth: 5 },
  { chars: 64, items: 6, depth: 3 },
] as const;

interface Limits {
  readonly chars: number;
  readonly items: number;
  readonly depth: number;
}

/**
 * The data as it is when it is small enough. Otherwise long texts are cut and say so, long lists and deep parts are shortened, and
 * `truncated: true` stands beside them: an event must never keep a change of state from being stored.
 */
export function boundedData(data: JsonObject): JsonObject {
  if (bytesOf(data) <= MAX_DATA_BYTES) return data;
  for (const limits of STEPS) {
    const cut = { ...cutObject(data, limits), truncated: true };
    if (bytesOf(cut) <= MAX_DATA_BYTES) return cut;
  }
  return { truncated: true };
}

function bytesOf(data: JsonObject): number {
  return Buffer.byteLength(JSON.stringify(data));
}

function cutObject(object: JsonObject, limits: Limits): JsonObject {
  const entries = Object.entries(object).slice(0, limits.items);
  return Object.fromEntries(
    entries.map(([key, value]) => [
      key.slice(0, limits.chars),
      cutValue(value, { ...limits, depth: limits.depth - 1 }),
    ]),
  );
}

function cutValue(value: JsonValue, limits: Limits): JsonValue {
  if (typeof value === "string") return cutText(value, limits.chars);
  if (typeof value !== "object" || value === null) return value;
  if (limits.depth <= 0) return isList(value) ? [] : {};
  if (!isList(value)) return cutObject(value, limits);
  const inner = { ...limits, depth: limits.depth - 1 };
  return value.slice(0, limits.items).map((item) => cutValue(item, inner));
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function cutText(text: string, chars: number): string {
  if (text.length <= chars) return text;
  // Half of a surrogate pair is no text.
  const kept = text.slice(0, chars).replace(/[\ud800-\udbff]$/, "");
  return `${kept}… [${text.length - kept.length} more characters]`;
}
