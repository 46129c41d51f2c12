import { stripUnsafe } from "../text/sanitise.ts";
import { SKILLBOOK_LIMITS } from "./skill.ts";

/** Most texts hold printable ASCII only; this check costs a tenth of the full cleaning, which matters for 10,000 skills. */
const PLAIN = /^[\n\t\x20-\x7E]*$/;

/** Trimmed text without control, bidi, zero-width and tag characters. */
export function cleanText(text: string): string {
  return (PLAIN.test(text) ? text : stripUnsafe(text)).trim();
}

/** {@link cleanText} on one line, with single spaces. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/\s+/gu, " ");
}

/** Whether a text has more than `limit` characters (code points). */
export function isLongerThan(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  // A code point takes at most two units, so longer texts need no counting.
  return text.length > 2 * limit || Array.from(text).length > limit;
}

export function isTooLong(text: string): boolean {
  return isLongerThan(text, SKILLBOOK_LIMITS.textChars);
}

/** The first `limit` characters, for notes about a lesson (never for the lesson itself). */
export function cutText(text: string, limit: number): string {
  if (!isLongerThan(text, limit)) return text;
  return `${Array.from(text.slice(0, 2 * limit))
    .slice(0, limit - 1)
    .join("")}…`;
}
