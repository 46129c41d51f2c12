import type { SessionEvent } from "@acumen/agent";
import { shortened } from "./wire-text.ts";

/** Key of an event's record in `_meta`. */
export const EVENT_KEY = "acumen/event";

/** Characters of one text in a record: whole texts stand in the update itself. */
const MAX_TEXT_CHARS = 2_000;
/** Characters of all texts and names of one record. */
const MAX_RECORD_CHARS = 16_000;
/** What a value costs besides its text: lists of numbers and of empty texts are not free. */
const PLACE_CHARS = 8;
const MAX_ITEMS = 100;
const MAX_DEPTH = 8;

/** What is left of a field that holds more than a record should; the rest is bounded alike. */
const FIELDS: Readonly<Record<string, (value: unknown) => unknown>> = {
  provider_metadata: () => undefined,
  content: lightBlocks,
  output: lightBlocks,
  diff: (files) => (files as { path: string }[]).map(({ path }) => ({ path })),
};

/** `{seq, type, payload}` of an event for a host that reads the structured stream; bulky content is left out. */
export function eventMeta({ seq, type, payload }: SessionEvent): {
  readonly [EVENT_KEY]: Readonly<Record<string, unknown>>;
} {
  const fields = Object.entries(payload).map(([key, value]: [string, unknown]) => {
    const lighten = Object.hasOwn(FIELDS, key) ? FIELDS[key] : undefined;
    return [key, lighten === undefined ? value : lighten(value)] as const;
  });
  return { [EVENT_KEY]: { seq, type, payload: new Bounds().of(Object.fromEntries(fields)) } };
}

/** Blocks without Base64 and without documents, which can be found by their address. */
function lightBlocks(blocks: unknown): unknown {
  return (blocks as Readonly<Record<string, unknown>>[]).map((block) => {
    const { data, text, blob: _blob, ...facts } = block;
    if (block["type"] === "structured") return { ...facts, data };
    return block["type"] === "text" ? { ...facts, text } : facts;
  });
}

/** Cuts what a record holds; what comes first stays. */
class Bounds {
  #left = MAX_RECORD_CHARS;

  of(value: unknown, depth = 0): unknown {
    if (typeof value === "string") return this.#text(value);
    this.#left -= PLACE_CHARS;
    if (typeof value !== "object" || value === null) return value;
    if (depth === MAX_DEPTH) return undefined;
    if (Array.isArray(value)) return this.#items(value, depth);
    const entries: [string, unknown][] = [];
    for (const [key, item] of Object.entries(value).slice(0, MAX_ITEMS)) {
      if (this.#left <= 0) break;
      entries.push([this.#text(key), this.of(item, depth + 1)]);
    }
    return Object.fromEntries(entries);
  }

  #items(items: readonly unknown[], depth: number): unknown[] {
    const kept: unknown[] = [];
    for (const item of items.slice(0, MAX_ITEMS)) {
      if (this.#left <= 0) break;
      kept.push(this.of(item, depth + 1));
    }
    return kept;
  }

  #text(text: string): string {
    const shown = shortened(text, Math.min(MAX_TEXT_CHARS, Math.max(0, this.#left)));
    this.#left -= shown.length + PLACE_CHARS;
    return shown;
  }
}
