import { words } from "../text/words.ts";

/** A sign counts only where no word or number ends before it, so "2018-12-31" holds no negative numbers. */
const ANSWER_WORD =
  /(?:(?<![\p{L}\p{N}])[-−])?\p{N}+(?:[.,]\p{N}+)*(?![\p{L}\p{M}\p{N}_])|[\p{L}\p{M}\p{N}_]+(?:['’-][\p{L}\p{M}\p{N}_]+)*(?:\+\+|#)?/gu;
const JOINERS = /['’-]/g;
const GROUP_COMMA = /,(?=\d{3}(?!\d))/g;

/**
 * The words of an answer for comparing, lower case. Kept apart on purpose: "-4" and "4", "C", "C++" and "C#", "4" and "14" or "4.5".
 * Taken as one: "e-mail" and "email", "1,000" and "1000".
 */
export function answerWords(text: string): string[] {
  const found: string[] = [];
  for (const [match] of text.normalize("NFKC").matchAll(ANSWER_WORD)) {
    const lower = match.toLowerCase();
    if (/^[-−]?\p{N}/u.test(lower)) found.push(lower.replace("−", "-").replace(GROUP_COMMA, ""));
    else if (/[+#]$/.test(lower)) found.push(lower);
    else found.push(...words(lower.replace(JOINERS, "")));
  }
  return found;
}

/** Start positions of `part` as a run of whole words in `whole`. */
export function placesOfWords(whole: readonly string[], part: readonly string[]): number[] {
  const places: number[] = [];
  if (part.length === 0) return places;
  for (let at = 0; at + part.length <= whole.length; at++) {
    if (part.every((word, i) => whole[at + i] === word)) places.push(at);
  }
  return places;
}
