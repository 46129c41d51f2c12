import { type AcumenError, isJsonObject } from "@acumen/core";
import { aceError } from "../errors.ts";
import { BookState } from "./book-state.ts";
import { cleanLine, cleanText, cutText } from "./clean-text.ts";
import { idNumber, isUsableId } from "./ids.ts";
import { type ForeignFormat, type RecognisedBook, recogniseBook } from "./migrate.ts";
import { pairOf } from "./similarity-decision.ts";
import { SKILLBOOK_LIMITS } from "./skill.ts";
import { type LoadSkipReason, type ReadSkill, readSkill } from "./skill-record.ts";
import { readTimestamp } from "./timestamp.ts";

export interface SkippedRecord {
  /** Id or key of the record in the file; `#<position>` when it has neither. */
  readonly id: string;
  readonly reason: LoadSkipReason;
  readonly message: string;
}

export interface RepairedField {
  /** Id of the skill in the book; absent when the repair concerns the whole book. */
  readonly id?: string;
  readonly field: string;
  readonly message: string;
}

/** What became of a file: nothing is lost without an entry here. */
export interface LoadReport {
  /** Skills in the book, removed ones included. */
  readonly loaded: number;
  readonly skipped: readonly SkippedRecord[];
  readonly repaired: readonly RepairedField[];
  /** Format of the Python original that the book was in; `null` for our own. */
  readonly migratedFrom: ForeignFormat | null;
}

/** Above this a number could no longer be told from its neighbour. */
const LARGEST_NEXT_ID = 2 ** 52;

/**
 * Reads a parsed file in any known format. One bad record never stops the others.
 * @throws ACE_SKILLBOOK_INVALID, ACE_SKILLBOOK_NEWER, ACE_SKILLBOOK_TOO_LARGE (more skills or text than a book may hold).
 */
export function readBook(value: unknown, now: string): { state: BookState; report: LoadReport } {
  const recognised = recogniseBook(value);
  const { book, entries, migratedFrom } = recognised;
  if (entries.length > SKILLBOOK_LIMITS.skills) {
    throw bookTooLarge(`${entries.length} skills`, `${SKILLBOOK_LIMITS.skills}`);
  }
  const state = new BookState();
  const skipped: SkippedRecord[] = [];
  const repaired: RepairedField[] = [];
  const read = readEntries(recognised, now, skipped);
  // Ids given out below must lie above every number in the file, so these are known first.
  for (const { wantedId } of read)
    if (isUsableId(wantedId)) state.reserveNumber(idNumber(wantedId));
  readNextId(book["next_id"], state, repaired);
  for (const each of read) putSkill(state, each, skipped, repaired);
  if (state.textBytes > SKILLBOOK_LIMITS.textBytes) {
    throw bookTooLarge(`${state.textBytes} bytes of text`, `${SKILLBOOK_LIMITS.textBytes}`);
  }
  readDecisions(book["similarity_decisions"], state, now, repaired);
  if (!sameSections(book["sections"], state)) {
    repaired.push({ field: "sections", message: "The index of sections was rebuilt." });
  }
  return { state, report: { loaded: state.skills.size, skipped, repaired, migratedFrom } };
}

function readEntries(
  { entries, migratedFrom }: RecognisedBook,
  now: string,
  skipped: SkippedRecord[],
): ReadSkill[] {
  const read: ReadSkill[] = [];
  for (const [index, [key, value]] of entries.entries()) {
    const result = readSkill(key, value, now, migratedFrom);
    if ("skill" in result) read.push(result);
    else skipped.push({ id: nameOf(key, value, index), ...result });
  }
  return read;
}

function nameOf(key: string | undefined, value: unknown, index: number): string {
  const inner = isJsonObject(value) ? value["id"] : undefined;
  const name = typeof inner === "string" && inner !== "" ? inner : (key ?? "");
  return cutText(cleanLine(name), 128) || `#${index}`;
}

function putSkill(
  state: BookState,
  { skill, wantedId, repairs }: ReadSkill,
  skipped: SkippedRecord[],
  repaired: RepairedField[],
): void {
  const usable = isUsableId(wantedId);
  const twin = usable ? state.skills.get(wantedId) : undefined;
  if (twin && twin.content === skill.content && twin.section === skill.section) {
    skipped.push({ id: wantedId, reason: "duplicate", message: "The file holds it twice." });
    return;
  }
  const id = usable && !twin ? wantedId : state.nextId(skill.section);
  state.put(id === skill.id ? skill : { ...skill, id });
  if (id !== wantedId) {
    const why = twin ? "belongs to another skill as well" : "cannot be used as an id";
    const was = cutText(cleanLine(wantedId), 128);
    repaired.push({ id, field: "id", message: `"${was}" ${why}; the skill got a new one.` });
  }
  for (const repair of repairs) repaired.push({ id, ...repair });
}

function readNextId(value: unknown, state: BookState, repaired: RepairedField[]): void {
  if (value === undefined && state.lastNumber === 0) return;
  const number = typeof value === "string" ? Number(value) : value;
  const usable = Number.isSafeInteger(number) && (number as number) < LARGEST_NEXT_ID;
  const next = usable ? (number as number) : -1;
  if (next < state.lastNumber || number !== value) {
    repaired.push({
      field: "next_id",
      message: "It was missing or below an id in the book; it follows the highest one now.",
    });
  }
  state.reserveNumber(next);
}

function readDecisions(
  value: unknown,
  state: BookState,
  now: string,
  repaired: RepairedField[],
): void {
  if (value === undefined || value === null) return;
  let dropped = isJsonObject(value) ? 0 : 1;
  for (const [key, decision] of Object.entries(isJsonObject(value) ? value : {})) {
    const pair = pairOf(key);
    const known = pair?.every((id) => state.skills.has(id)) === true;
    if (!pair || !known || !isJsonObject(decision) || decision["decision"] !== "KEEP") {
      dropped += 1;
      continue;
    }
    const { reasoning, similarity_at_decision: similarity } = decision;
    state.decide(pair[0], pair[1], {
      decision: "KEEP",
      reasoning:
        typeof reasoning === "string"
          ? cutText(cleanText(reasoning), SKILLBOOK_LIMITS.textChars)
          : "",
      decidedAt: readTimestamp(decision["decided_at"]) ?? now,
      similarityAtDecision: typeof similarity === "number" ? similarity : 0,
    });
  }
  if (dropped > 0) {
    repaired.push({
      field: "similarity_decisions",
      message: `Dropped ${dropped} that could not be read or named skills that are not in the book.`,
    });
  }
}

function sameSections(value: unknown, state: BookState): boolean {
  const rebuilt = new Map<string, string[]>();
  for (const { section, id } of state.skills.values()) {
    const ids = rebuilt.get(section);
    if (ids) ids.push(id);
    else rebuilt.set(section, [id]);
  }
  if (!isJsonObject(value) || Object.keys(value).length !== rebuilt.size) return false;
  return Array.from(rebuilt).every(([section, ids]) => {
    const listed = Object.hasOwn(value, section) ? value[section] : undefined;
    if (!Array.isArray(listed) || listed.length !== ids.length) return false;
    const all = new Set<unknown>(listed);
    return ids.every((id) => all.has(id));
  });
}

export function bookTooLarge(found: string, limit: string): AcumenError {
  return aceError(
    "ACE_SKILLBOOK_TOO_LARGE",
    `The skillbook holds ${found}; at most ${limit} are accepted. Merge near-duplicates and purge removed skills, or split the book.`,
    { details: { reason: "too_large", found, limit } },
  );
}
