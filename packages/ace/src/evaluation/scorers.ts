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

interface Mention {
  readonly start: number;
  readonly end: number;
  readonly isTruth: boolean;
}

function namesAnother(
  said: readonly string[],
  expected: readonly string[],
  known: ReadonlySet<string>,
): boolean {
  const mentions: Mention[] = mentionsOf(said, expected, true);
  const truth = expected.join(" ");
  const vocabulary = new Set(said);
  for (const other of known) {
    const parts = answerWords(other);
    if (parts.length === 0 || !vocabulary.has(parts[0] ?? "") || parts.join(" ") === truth)
      continue;
    mentions.push(...mentionsOf(said, parts, false));
  }
  const largest = mentions.filter((mention) => !mentions.some((other) => isInside(mention, other)));
  return largest.some(({ isTruth }) => !isTruth);
}

function mentionsOf(said: readonly string[], part: readonly string[], isTruth: boolean): Mention[] {
  return placesOfWords(said, part).map((start) => ({ start, end: start + part.length, isTruth }));
}

function isInside(inner: Mention, outer: Mention): boolean {
  const longer = outer.end - outer.start > inner.end - inner.start;
  return longer && outer.start <= inner.start && outer.end >= inner.end;
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
