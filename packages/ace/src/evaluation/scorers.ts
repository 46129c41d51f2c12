import { normaliseText } from "../text/normalise.ts";
import { answerWords, placesOfWords, readAnswer } from "./answer-words.ts";
import { isHedged } from "./hedge.ts";
import { isClose, onlyNumberIn, parseNumber } from "./numbers.ts";
import { hasSigns, signsAgree } from "./signs.ts";

export interface ScorerOptions {
  /** For `numeric`: largest difference that counts as right. Default: one unit of the truth's last digit. */
  readonly tolerance?: number;
  /** For `contains`: other answers that exist; an answer that names one of them too is not right. */
  readonly knownAnswers?: ReadonlySet<string>;
}

/** Compares an answer with the truth: 1 = right, 0 = wrong; `list` gives shares between. Never throws. */
export type Scorer = (answer: string, truth: string, options?: ScorerOptions) => number;

/** The same characters, except for spaces around them and the length of gaps. Case counts. */
function exact(answer: string, truth: string): number {
  const squeeze = (text: string): string => text.normalize("NFC").replace(/\s+/gu, " ").trim();
  return squeeze(answer) === squeeze(truth) ? 1 : 0;
}

const EMPHASIS = /(?<![\p{L}\p{N}*])(\*{1,3})(?=[^\s*])([^*\n]*[^\s*])\1(?![\p{L}\p{N}*])/gu;

/**
 * The truth stands in the answer as whole words among the same operators (case and punctuation don't count), is neither denied in its
 * clause nor one side of an "or" or a slash, and no other known answer stands there. A known answer inside a longer one ("interest"
 * in "interest expense") is not there.
 */
function contains(answer: string, truth: string, { knownAnswers }: ScorerOptions = {}): number {
  const said = readAnswer(answer.replace(EMPHASIS, "$2"));
  const expected = readAnswer(truth.replace(EMPHASIS, "$2"));
  const length = expected.words.length;
  if (length === 0) return exact(answer, truth);
  const places = placesOfWords(said.words, expected.words);
  const agreeing = places.filter((at) => signsAgree(said, at, expected));
  // "a != b, so a == b" may mean either.
  const isSame = hasSigns(expected) ? agreeing.length === places.length : true;
  if (agreeing.length === 0 || !isSame) return 0;
  if (said.words.length === length) return 1;
  if (places.some((at) => isHedged(said, at, at + length))) return 0;
  return namesAnother(said.words, expected.words, knownAnswers ?? new Set()) ? 0 : 1;
}

/**
 * Whether another known answer stands in an answer outside of every place of the truth. The truth inside a longer known answer counts as
 * that other answer; a known answer inside the truth doesn't count.
 */
function namesAnother(
  said: readonly string[],
  expected: readonly string[],
  known: ReadonlySet<string>,
): boolean {
  const truth = expected.join(" ");
  const truthStarts = new Set(placesOfWords(said, expected));
  const isInsideTruth = (at: number, length: number): boolean => {
    for (let start = at + length - expected.length; start <= at; start++) {
      if (truthStarts.has(start)) return true;
    }
    return false;
  };
  for (const [length, phrases] of phrasesByLength(known)) {
    for (let at = 0; at + length <= said.length; at++) {
      const phrase = said.slice(at, at + length).join(" ");
      if (phrases.has(phrase) && phrase !== truth && !isInsideTruth(at, length)) return true;
    }
  }
  return false;
}

/** Nobody names a longer text in passing, and every length costs a walk through the answer. */
const LONGEST_PHRASE = 20;

type PhrasesByLength = ReadonlyMap<number, ReadonlySet<string>>;

/** A sample set's known answers serve for all its samples. */
const phrasesOfSet = new WeakMap<ReadonlySet<string>, { size: number; phrases: PhrasesByLength }>();

function phrasesByLength(known: ReadonlySet<string>): PhrasesByLength {
  const cached = phrasesOfSet.get(known);
  if (cached?.size === known.size) return cached.phrases;
  const phrases = new Map<number, Set<string>>();
  for (const answer of known) {
    const parts = answerWords(answer);
    if (parts.length === 0 || parts.length > LONGEST_PHRASE) continue;
    const sameLength = phrases.get(parts.length) ?? new Set();
    phrases.set(parts.length, sameLength.add(parts.join(" ")));
  }
  phrasesOfSet.set(known, { size: known.size, phrases });
  return phrases;
}

/** Both are numbers and differ by at most the tolerance. An answer in words counts if it holds one number only. */
function numeric(answer: string, truth: string, { tolerance }: ScorerOptions = {}): number {
  const expected = parseNumber(truth);
  const said = parseNumber(answer) ?? onlyNumberIn(answer);
  if (expected === undefined || said === undefined) return 0;
  return isClose(said.value, expected.value, tolerance ?? expected.unit) ? 1 : 0;
}

/**
 * Lists compared item by item in order (commas, semicolons or lines between the items, brackets and quotes dropped): the share of
 * places that agree, of the longer list's length. Numbers compare by value; they must be equal unless a tolerance is given.
 */
function list(answer: string, truth: string, options: ScorerOptions = {}): number {
  const said = listItems(answer);
  const expected = listItems(truth);
  if (expected.length === 0) return said.length === 0 ? 1 : 0;
  const right = expected.filter((item, i) => isSameItem(said[i], item, options)).length;
  return right / Math.max(said.length, expected.length);
}

/** A comma inside a number ("1,000") separates nothing; one with a space behind it always does. */
const ITEM_GAP = /[;\n]|,(?=\s)|,(?!\d{3}(?!\d))|(?<!\d),/;

function listItems(text: string): string[] {
  return text
    .trim()
    .replace(/^[[({]|[\])}]$/g, "")
    .split(ITEM_GAP)
    .map((item) => item.trim().replace(/^["'“]|["'”]$/g, ""))
    .filter((item) => item !== "");
}

function isSameItem(said: string | undefined, expected: string, options: ScorerOptions): boolean {
  if (said === undefined) return false;
  const [value, truth] = [parseNumber(said)?.value, parseNumber(expected)?.value];
  if (value !== undefined && truth !== undefined) {
    return isClose(value, truth, options.tolerance ?? 0);
  }
  return normaliseText(said) === normaliseText(expected);
}

/** Scorers by name. */
export const scorers = { exact, contains, numeric, list } as const satisfies Record<string, Scorer>;

export type ScorerName = keyof typeof scorers;
