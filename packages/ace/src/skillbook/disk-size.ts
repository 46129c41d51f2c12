import { isJsonObject } from "@acumen/core";
import type { SimilarityDecision } from "./similarity-decision.ts";
import type { Skill } from "./skill.ts";
import type { InsightSource } from "./source.ts";

/**
 * Sizes are kept per change instead of printing the book at every ADD. `text` is the plain UTF-8 size, `disk` an upper bound of what
 * the record adds to the file, so that a book within its bounds can always be saved.
 */
export interface RecordSize {
  readonly text: number;
  readonly disk: number;
}

/** Keys, quotes, indents, dates and counters of a skill, its places in `skills` and `sections` included. */
const SKILL_FRAME = 640;
const SOURCE_FRAME = 480;
const DECISION_FRAME = 320;
/** Deepest indent that a line of a note or an embedding can have: 2 spaces for up to 13 levels. */
const NESTED_LINE = 32;

export function skillSize(skill: Skill): RecordSize {
  const { section, content, justification, evidence, sources, embedding, id } = skill;
  const texts = [section, content, justification ?? "", evidence ?? ""];
  let text = 0;
  let disk = SKILL_FRAME + 3 * Buffer.byteLength(id) + escapedBytes(section);
  for (const each of texts) {
    text += Buffer.byteLength(each);
    disk += escapedBytes(each);
  }
  for (const source of sources) {
    const size = sourceSize(source);
    text += size.text;
    disk += size.disk;
  }
  if (embedding !== undefined) disk += nestedBytes(embedding);
  return { text, disk };
}

export function decisionSize(key: string, decision: SimilarityDecision): number {
  return DECISION_FRAME + Buffer.byteLength(key) + escapedBytes(decision.reasoning);
}

function sourceSize(source: InsightSource): RecordSize {
  let text = 0;
  let disk = SOURCE_FRAME;
  for (const value of Object.values(source)) {
    if (typeof value === "string") {
      text += Buffer.byteLength(value);
      disk += escapedBytes(value);
    } else if (isJsonObject(value)) {
      text += Buffer.byteLength(JSON.stringify(value));
      disk += nestedBytes(value);
    }
  }
  return { text, disk };
}

function escapedBytes(text: string): number {
  let escapes = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x22 || code === 0x5c || code < 0x20) escapes += 1;
  }
  return Buffer.byteLength(text) + escapes;
}

function nestedBytes(value: unknown): number {
  const compact = JSON.stringify(value) ?? "null";
  const lines = compact.split(/[,[\]{}]/).length + 2;
  return Buffer.byteLength(compact) + lines * NESTED_LINE;
}
