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
  return readAnswer(text).words;
}

/** The words of an answer and what stands around them. */
export interface AnswerText {
  readonly words: string[];
  /** `gaps[i]` stands before `words[i]`, the last one behind all words. */
  readonly gaps: string[];
}

/** {@link answerWords} with the marks and spaces between them. */
export function readAnswer(text: string): AnswerText {
  const clean = text.normalize("NFKC");
  const found: string[] = [];
  const gaps: string[] = [];
  let end = 0;
  for (const { 0: match, index } of clean.matchAll(ANSWER_WORD)) {
    const parts = wordsOfMatch(match.toLowerCase());
    if (parts.length === 0) continue;
    gaps.push(clean.slice(end, index), ...parts.slice(1).map(() => ""));
    for (const part of parts) found.push(part);
    end = index + match.length;
  }
  gaps.push(clean.slice(end));
  return { words: found, gaps };
}

function wordsOfMatch(lower: string): string[] {
  if (/^[-−]?\p{N}/u.test(lower)) return [lower.replace("−", "-").replace(GROUP_COMMA, "")];
  return /[+#]$/.test(lower) ? [lower] : words(lower.replace(JOINERS, ""));
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
