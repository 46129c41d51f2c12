/** An id's shape: a prefix that may hold letters of any script, digits, underscores and hyphens, then the number. */
const ID =
  /(?<![\p{L}\p{M}\p{N}_-])[\p{L}\p{N}_][\p{L}\p{M}\p{N}_-]*-\d+(?![\p{L}\p{M}\p{N}_]|-[\p{L}\p{N}])/gu;
/** Hyphens that a model or an editor sets instead of the plain one; a dash between two ids is none. */
const HYPHENS = /[‐‑‒]/gu;

/**
 * The skills that a text cites, in the order of their first mention: `[error-handling-00001]`, `[oauth2-00001, a-00002]`, ids of any
 * script, with or without brackets. Only ids among `shownIds` count: an invented id is no citation.
 */
export function citedSkillIds(text: string, shownIds: Iterable<string>): string[] {
  const shown = new Map([...shownIds].map((id) => [normaliseId(id), id]));
  const cited = new Set<string>();
  for (const [match] of text.normalize("NFC").replace(HYPHENS, "-").matchAll(ID)) {
    const id = shown.get(normaliseId(match));
    if (id !== undefined) cited.add(id);
  }
  return [...cited];
}

function normaliseId(id: string): string {
  return id.normalize("NFC").toLowerCase();
}
