import type { FileDiff } from "../../events/event-payloads.ts";

/** Texts that are longer together lose the lines around what changes. Characters. */
const MAX_DIFF_CHARS = 400_000;
const KEPT_LINES = 50;
/** What is kept of each end of a text that goes away and is still too long. Characters. */
const KEPT_CHARS = 50_000;

/**
 * The difference as people see it: whole texts. Of very long ones the equal lines at both ends are left out, and of what
 * goes away the middle; what comes new is always whole.
 * @param path absolute real path
 */
export function fileDiff(path: string, oldText: string | null, newText: string): FileDiff {
  if ((oldText?.length ?? 0) + newText.length <= MAX_DIFF_CHARS)
    return { path, old_text: oldText, new_text: newText };
  if (oldText === null) return { path, old_text: null, new_text: newText };
  const before = oldText.split("\n");
  const after = newText.split("\n");
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const cutHead = Math.max(0, head - KEPT_LINES);
  const cutTail = Math.max(0, tail - KEPT_LINES);
  const shorten = (lines: readonly string[]): string =>
    [
      ...(cutHead > 0 ? [leftOut(cutHead, "equal lines")] : []),
      ...lines.slice(cutHead, lines.length - cutTail),
      ...(cutTail > 0 ? [leftOut(cutTail, "equal lines")] : []),
    ].join("\n");
  return { path, old_text: withoutMiddle(shorten(before)), new_text: shorten(after) };
}

function withoutMiddle(text: string): string {
  const rest = text.length - 2 * KEPT_CHARS;
  if (rest <= MAX_DIFF_CHARS) return text;
  return [text.slice(0, KEPT_CHARS), leftOut(rest, "characters"), text.slice(-KEPT_CHARS)].join(
    "\n",
  );
}

function leftOut(count: number, what: string): string {
  return `[… ${count} ${what} not shown …]`;
}
