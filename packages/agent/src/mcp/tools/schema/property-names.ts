import type { Schema } from "./copy-schema.ts";
import { mapSubSchemas, propertiesOf } from "./sub-schemas.ts";

const PLAIN_KEY = /^[a-zA-Z0-9_.-]{1,64}$/;
const MAX_KEY_CHARS = 64;
/** Parsers of JSON refuse them, or do worse. */
const HOSTILE = new Set(["__proto__", "constructor", "prototype"]);

/** Names of properties that every provider takes, one for each name of one schema wherever it stands in it, and the way back. */
export class PropertyNames {
  readonly #shown = new Map<string, string>();
  readonly #original = new Map<string, string>();

  constructor(schema: Schema) {
    const keys = new Set<string>();
    collect(schema, keys);
    const taken = new Set([...keys].filter(isPlain));
    for (const key of keys) {
      if (isPlain(key)) continue;
      const name = freeName(key, taken);
      taken.add(name);
      this.#shown.set(key, name);
      this.#original.set(name, key);
    }
  }

  /** What models call it. */
  shown(key: string): string {
    return this.#shown.get(key) ?? key;
  }

  /** What the server calls it. */
  original(name: string): string {
    return this.#original.get(name) ?? name;
  }
}

function collect(part: unknown, keys: Set<string>): void {
  if (typeof part !== "object" || part === null) return;
  for (const key of Object.keys(propertiesOf(part as Schema))) keys.add(key);
  mapSubSchemas(part as Schema, (sub) => {
    collect(sub, keys);
    return sub;
  });
}

function isPlain(key: string): boolean {
  return PLAIN_KEY.test(key) && !HOSTILE.has(key);
}

function freeName(key: string, taken: ReadonlySet<string>): string {
  const base = key.replace(/[^a-zA-Z0-9_.-]/gu, "_").slice(0, MAX_KEY_CHARS) || "_";
  if (isPlain(base) && !taken.has(base)) return base;
  for (let count = 2; ; count += 1) {
    const ending = `_${count}`;
    const name = base.slice(0, MAX_KEY_CHARS - ending.length) + ending;
    if (!taken.has(name)) return name;
  }
}
