/** Numbers keep their inner separators ("1.5" and "15" are different words); words keep inner apostrophes, dropped below. */
const WORD =
  /\p{N}+(?:[.,]\p{N}+)*(?![\p{L}\p{M}\p{N}_])|[\p{L}\p{M}\p{N}_]+(?:['’][\p{L}\p{M}\p{N}_]+)*/gu;
/** Scripts that write no spaces. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const UNSPACED_RUN = new RegExp(`(?:${UNSPACED.source}\\p{M}*)+`, "gu");
const JOINT = /['’,]/;
/** Script tests cost much more than this one, and most words are ASCII. */
const ASCII = /^[\w.]*$/;
/** Most words: nothing to clean, nothing to split. */
const PLAIN = /^[a-z0-9]+$/;
/** An underscore, or a capital after a small letter or digit. */
const IDENTIFIER = /_|[\p{Ll}\p{N}]\p{Lu}/u;
const PART_BORDER = /_+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u;

/**
 * The words of a text in order, lower case, without punctuation: "Don't ship 1,000.50 items" -> dont, ship, 1000.50, items.
 * Runs of scripts without spaces (Chinese, Japanese, Thai, ...) become overlapping pairs of characters, the usual stand-in for a
 * dictionary in lexical search.
 */
export function words(text: string): string[] {
  return split(text, false);
}

/** {@link words}, each identifier followed by its parts (`maxRetries`, `max_retries` -> max, retries), for search. */
export function searchTerms(text: string): string[] {
  return split(text, true);
}

function split(text: string, withParts: boolean): string[] {
  const found: string[] = [];
  for (const match of text.normalize("NFKC").match(WORD) ?? []) {
    if (PLAIN.test(match)) {
      found.push(match);
      continue;
    }
    const word = cleanWord(match);
    if (!ASCII.test(word) && UNSPACED.test(word)) pushPairs(word, found);
    else found.push(word);
    if (withParts && IDENTIFIER.test(match)) {
      const parts = match.split(PART_BORDER).filter((part) => part !== "");
      if (parts.length > 1) for (const part of parts) found.push(cleanWord(part));
    }
  }
  return found;
}

function cleanWord(match: string): string {
  const lower = match.toLowerCase();
  return JOINT.test(lower) ? lower.replaceAll(/['’,]/g, "") : lower;
}

function pushPairs(word: string, found: string[]): void {
  let end = 0;
  for (const run of word.matchAll(UNSPACED_RUN)) {
    if (run.index > end) found.push(word.slice(end, run.index));
    const characters = Array.from(run[0]);
    if (characters.length === 1) found.push(run[0]);
    for (let i = 0; i + 1 < characters.length; i++) {
      found.push(`${characters[i] ?? ""}${characters[i + 1] ?? ""}`);
    }
    end = run.index + run[0].length;
  }
  if (end < word.length) found.push(word.slice(end));
}
