import type { SimilarityDecision } from "./similarity-decision.ts";
import type { Skill } from "./skill.ts";
import type { InsightSource } from "./source.ts";

/**
 * Sizes are kept per change instead of printing the book at every ADD. `text` are the UTF-8 bytes of all texts as they lie on disk,
 * `disk` is an upper bound of what the record adds to the file, so that a book within its bounds can always be saved.
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
  const size = { text: 0, disk: SKILL_FRAME + 3 * escapedBytes(skill.id) };
  // The section stands in the record and in the index of sections.
  size.disk += escapedBytes(skill.section);
  addText(size, skill.section);
  addText(size, skill.content);
  addText(size, skill.justification ?? "");
  addText(size, skill.evidence ?? "");
  for (const source of skill.sources) addSource(size, source);
  if (skill.embedding !== undefined) size.disk += nestedBytes(skill.embedding);
  return size;
}

export function decisionSize(key: string, decision: SimilarityDecision): number {
  return DECISION_FRAME + Buffer.byteLength(key) + escapedBytes(decision.reasoning);
}

interface Sum {
  text: number;
  disk: number;
}

function addSource(size: Sum, source: InsightSource): void {
  size.disk += SOURCE_FRAME;
  addText(size, source.traceUid);
  addText(size, source.sourceSystem);
  addText(size, source.traceId);
  addText(size, source.displayName ?? "");
  addText(size, source.sampleQuestion ?? "");
  addText(size, source.operationType ?? "");
  addText(size, source.errorIdentification ?? "");
  addText(size, source.learningText ?? "");
  if (source.notes) {
    addText(size, JSON.stringify(source.notes));
    size.disk += nestedBytes(source.notes);
  }
}

function addText(size: Sum, text: string): void {
  const bytes = escapedBytes(text);
  size.disk += bytes;
  size.text += bytes;
}

/** UTF-8 bytes of a text inside JSON, without its quotes. Counted here in one pass, because most texts are short. */
function escapedBytes(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x20) bytes += 5;
    else if (code === 0x22 || code === 0x5c) bytes += 1;
    else if (code >= 0x80) {
      // Half of a surrogate pair: the pair takes 4 bytes, 2 for each half.
      const half = code >= 0xd800 && code <= 0xdfff;
      bytes += code < 0x800 || half ? 1 : 2;
    }
  }
  return bytes;
}

function nestedBytes(value: unknown): number {
  const compact = JSON.stringify(value) ?? "null";
  let lines = 2;
  for (let index = 0; index < compact.length; index += 1) {
    const code = compact.charCodeAt(index);
    // Each comma or bracket can end a line.
    if (code === 0x2c || code === 0x5b || code === 0x5d || code === 0x7b || code === 0x7d)
      lines += 1;
  }
  return Buffer.byteLength(compact) + lines * NESTED_LINE;
}
