import { isJsonObject } from "@acumen/core";
import type { Schema } from "./copy-schema.ts";
import { modernKeywords } from "./modern-keywords.ts";
import { SchemaRefs } from "./schema-refs.ts";
import { mapSubSchemas } from "./sub-schemas.ts";
import { withNote } from "./with-note.ts";

/** How often a part may stand within itself: as often as there is room. */
const REPEATS = [5, 3, 2, 1] as const;
/** With repeated parts, in characters of JSON or so. */
const ROOM_FOR_REPEATS = 16_000;
/** From here on references are not followed any more. */
const MAX_CHARS = 60_000;
const MAX_NODES = 3000;
/** More is given up. */
const HARD_MAX_CHARS = 200_000;
const MAX_REF_DEPTH = 24;

const REFERENCES = ["$ref", "$dynamicRef", "$recursiveRef"] as const;
const DEFINITIONS = new Set(["$defs", "definitions"]);
const ANNOTATIONS = new Set(["title", "description", "default", "examples", "deprecated"]);

const NOTES = {
  deeper: "The same form again; not shown deeper.",
  room: "Too large to be shown.",
  remote: "Described elsewhere.",
  missing: "Not described: the reference leads nowhere.",
} as const;

/**
 * The schema in the words of 2020-12 without references: each stands where it was used. What contains itself is cut.
 * @returns undefined when it would be too large
 */
export function inlineSchema(root: Schema): Schema | undefined {
  const refs = new SchemaRefs(root);
  let last: Schema | undefined;
  for (const repeats of REPEATS) {
    const inliner = new Inliner(refs, repeats);
    try {
      last = inliner.root(root);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      last = undefined;
      continue;
    }
    if (!inliner.repeated || inliner.chars <= ROOM_FOR_REPEATS) return last;
  }
  return last;
}

class Inliner {
  readonly #refs: SchemaRefs;
  readonly #repeats: number;
  #nodes = 0;
  chars = 0;
  repeated = false;

  constructor(refs: SchemaRefs, repeats: number) {
    this.#refs = refs;
    this.#repeats = repeats;
  }

  root(schema: Schema): Schema {
    const inlined = this.#inline(schema, [schema], 1);
    return isJsonObject(inlined) ? inlined : {};
  }

  #inline(part: unknown, open: readonly unknown[], depth: number): unknown {
    if (!isJsonObject(part)) return part;
    this.#count(part);
    const own = Object.fromEntries(
      Object.entries(part).filter(([keyword]) => !DEFINITIONS.has(keyword)),
    );
    const reference = REFERENCES.find((keyword) => Object.hasOwn(own, keyword));
    if (reference === undefined) {
      return mapSubSchemas(modernKeywords(own), (sub) => this.#inline(sub, open, depth + 1));
    }
    const { [reference]: ref, ...rest } = own;
    if (typeof ref !== "string") return this.#inline(rest, open, depth);
    const target = this.#target(ref, open, depth);
    return merged(target, rest, (sub) => this.#inline(sub, open, depth + 1));
  }

  #target(ref: string, open: readonly unknown[], depth: number): Schema {
    const { found, fault } = this.#refs.resolve(ref);
    if (fault !== undefined) return { description: NOTES[fault] };
    if (!isJsonObject(found)) return found === false ? { not: {} } : {};
    const times = open.filter((part) => part === found).length;
    if (times > 0) this.repeated = true;
    if (times >= this.#repeats || depth > MAX_REF_DEPTH) return { description: NOTES.deeper };
    if (this.chars > MAX_CHARS || this.#nodes > MAX_NODES) return { description: NOTES.room };
    const inlined = this.#inline(found, [...open, found], depth + 1);
    return isJsonObject(inlined) ? inlined : {};
  }

  /** @throws RangeError */
  #count(part: Schema): void {
    this.#nodes += 1;
    for (const [keyword, value] of Object.entries(part)) {
      this.chars += keyword.length + 4 + (typeof value === "string" ? value.length : 4);
      if (keyword === "enum" || keyword === "const" || keyword === "default") {
        this.chars += JSON.stringify(value)?.length ?? 0;
      }
    }
    if (this.chars > HARD_MAX_CHARS) throw new RangeError("too large");
  }
}

/** What a reference leads to, and what stands beside it. */
function merged(target: Schema, beside: Schema, inline: (part: unknown) => unknown): Schema {
  const { nullable, ...rest } = beside;
  const annotations = pick(rest, (keyword) => ANNOTATIONS.has(keyword));
  const constraints = pick(rest, (keyword) => !ANNOTATIONS.has(keyword));
  const note = target["description"];
  const lost = Object.keys(target).length === 1 && typeof note === "string" && isNote(note);
  const words = lost ? withNote(annotations, note) : annotations;
  if (nullable === true) {
    return { ...words, anyOf: [merged(target, constraints, inline), { type: "null" }] };
  }
  const inlined = inline(constraints);
  const more = isJsonObject(inlined) ? inlined : {};
  const clash = Object.keys(more).some((keyword) => Object.hasOwn(target, keyword));
  return clash ? { ...words, allOf: [target, more] } : { ...target, ...more, ...words };
}

function pick(schema: Schema, wanted: (keyword: string) => boolean): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => wanted(keyword)));
}

function isNote(text: string): boolean {
  return Object.values(NOTES).some((note) => note === text);
}
