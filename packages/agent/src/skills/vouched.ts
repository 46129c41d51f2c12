import { type InsightSource, type Skill, stripUnsafe } from "@acumen/ace";
import { createHash } from "node:crypto";

/** Key of the note, in a skill's sources, that holds the hash of the text that somebody stood up for. */
const NOTE = "vouched_text";

/**
 * Whether coding sessions may use a skill. Either its text is vouched for (a person accepted it in a review, or learning of a session wrote it;
 * a later change of the text by anybody else ends that), or every source of it is of origin `session`.
 */
export function isVouched(skill: Skill): boolean {
  const { content, sources } = skill;
  if (sources.length > 0 && sources.every(({ origin }) => origin === "session")) return true;
  const hash = textHash(content);
  return sources.some(({ notes }) => notes?.[NOTE] === hash);
}

/** The notes of a source that stands up for a text. */
export function vouchingNotes(content: string): NonNullable<InsightSource["notes"]> {
  return { [NOTE]: textHash(content) };
}

/** Of the text as a book keeps it. */
function textHash(content: string): string {
  return createHash("sha256").update(stripUnsafe(content).trim()).digest("hex");
}
