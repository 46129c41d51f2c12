import { answerOf, withoutAnswer } from "../text/answer-line.ts";
import { normaliseText, withoutEndMarks, withoutProseMarks } from "../text/normalise.ts";
import { stripUnsafe } from "../text/sanitise.ts";
import {
  DECIDERS,
  FILLERS,
  INTENSIFIERS,
  MAKE_SURE,
  NUMBER_WORDS,
  SMALL_WORDS,
  stem,
  SYNONYMS,
} from "./conclusion-words.ts";

/** What a lesson says, as far as words show it: fillers dropped, inflection, case and punctuation levelled. */
export interface Lesson {
  /** Answer and deciding words in order (numbers, code, quotes, negation, conditions). Lessons with different keys never say the same. */
  readonly conclusion: string;
  /** Words that carry meaning, in order; deciding ones begin with {@link DECIDING}. */
  readonly words: readonly string[];
  /** For each word, whether it may be all that one lesson has over another: small words and intensifiers may. */
  readonly optional: readonly boolean[];
}

/** Prefix of deciding words; no word begins with it, for words begin with a letter. */
export const DECIDING = "!";

/** Code, then quotes: both count as one word that has to match to the letter (quotes: apart from case and punctuation). */
const SPANS =
  /(?<!`)`+([^`]+)`+|["“”„«]([^"“”„«»\n]{1,300})["“”»]|(?<![\p{L}\p{N}])['‘]([^'‘’\n]{1,300})['’](?![\p{L}\p{N}])/gu;
const EDGES_BEFORE = /^(?:["'“‘…]|[–—](?!\p{N}))+/u;
const EDGES_AFTER = /[”’…–—]+$/u;
/** Anything but letters, digits, inner hyphens and apostrophes makes a chunk code, a path, an amount or a sign. */
const PLAIN = /^\p{L}[\p{L}\p{M}]*(?:['’-][\p{L}\p{M}]+)*$/u;
const ASIDES = /^\(?(?:e\.g|i\.e)$/iu;
const SPACE = /\s+/;
/** "red,green": two words. */
const INNER_BREAK = /(?<=[\p{L}\p{N}]),(?=\p{L})/u;
/** Lone marks that say nothing: a heading's, a quotation's, what is left around code. */
const NO_SIGN = /^(?:#+|["'“”‘’„«»…–—]+|\.{3,})$/u;
/** What ends a sentence or clause right behind code or a quote. */
const MARKS_BEHIND = /^[,;:.!?"'”’)]+(?=\s|$)/u;
const MOST_MARKS = 8;
const SENTENCE_END = /[.!?:;]["'”’)]*$/u;

/** Reads the content of a skill. Pure and deterministic. */
export function readLesson(content: string): Lesson {
  const text = stripUnsafe(content).normalize("NFKC").replaceAll("−", "-");
  // A text all in capitals says nothing by capitals.
  const clean = /\p{Ll}/u.test(text)
    ? text
    : text.toLowerCase().replaceAll(/^answer:/gm, "Answer:");
  const answer = answerOf(clean);
  const reader = new LessonReader();
  const body = withoutProseMarks(withoutAnswer(clean));
  let end = 0;
  for (const match of body.matchAll(SPANS)) {
    reader.readProse(body.slice(end, match.index));
    const [, code, double, single] = match;
    if (code !== undefined) reader.decide(`\`${code.trim().replaceAll(/\s+/g, " ")}`);
    else reader.decide(`"${normaliseText(double ?? single ?? "")}`);
    end = match.index + match[0].length;
    end += reader.readMarks(body.slice(end, end + MOST_MARKS));
  }
  reader.readProse(body.slice(end));
  // Nothing but fillers: then the text itself is all there is to compare.
  if (reader.words.length === 0) reader.decide(normaliseText(body));
  const { words, optional } = reader;
  const deciding = words.filter((word) => word.startsWith(DECIDING));
  const answered = answer === undefined ? "" : `=${normaliseText(answer)}`;
  return { conclusion: [answered, ...deciding].join("\0"), words, optional };
}

/** How a chunk of prose reads. */
interface Reading {
  /** Empty: nothing that carries meaning. */
  readonly word: string;
  readonly deciding: boolean;
  readonly optional: boolean;
  /** Capitalised: a name, unless a sentence begins with it. */
  readonly named: boolean;
  /** What it is inside a sentence when it looks like a small word ("team A", "the IT department"), else empty. */
  readonly acronym: string;
  readonly endsSentence: boolean;
}

class LessonReader {
  readonly words: string[] = [];
  readonly optional: boolean[] = [];
  #sentenceStart = true;

  readProse(text: string): void {
    for (const chunk of text.replace(MAKE_SURE, "ensure").split(SPACE)) {
      if (!INNER_BREAK.test(chunk)) this.#readChunk(chunk);
      else for (const part of chunk.split(INNER_BREAK)) this.#readChunk(part);
    }
  }

  /** Reads the marks at the start of a text and returns their length. */
  readMarks(text: string): number {
    const [marks = ""] = MARKS_BEHIND.exec(text) ?? [];
    if (marks !== "") this.#sentenceStart = SENTENCE_END.test(marks);
    return marks.length;
  }

  decide(word: string): void {
    this.words.push(DECIDING + word);
    this.optional.push(false);
    this.#sentenceStart = false;
  }

  #readChunk(chunk: string): void {
    if (chunk === "") return;
    const reading = readingOf(chunk);
    const inside = !this.#sentenceStart;
    if (inside && reading.acronym !== "") this.decide(reading.acronym);
    else if (reading.deciding) this.decide(reading.word);
    else if (reading.word !== "") {
      this.words.push(reading.word);
      this.optional.push(reading.optional && !(inside && reading.named));
    }
    this.#sentenceStart = reading.endsSentence;
  }
}

/** Texts repeat their words, so each is read once; bounded, because a long-lived process meets ever new ones. */
const readings = new Map<string, Reading>();
const MOST_READINGS = 20_000;
const LONGEST_READING = 64;

function readingOf(chunk: string): Reading {
  let reading = readings.get(chunk);
  if (reading === undefined) {
    reading = readChunk(chunk);
    if (readings.size >= MOST_READINGS) readings.clear();
    if (chunk.length <= LONGEST_READING) readings.set(chunk, reading);
  }
  return reading;
}

const NOTHING: Reading = {
  word: "",
  deciding: false,
  optional: false,
  named: false,
  acronym: "",
  endsSentence: false,
};

function readChunk(chunk: string): Reading {
  const nothing: Reading = { ...NOTHING, endsSentence: SENTENCE_END.test(chunk) };
  const decides = (word: string): Reading => ({ ...nothing, word, deciding: true });
  const word = bareWord(chunk);
  if (!/[\p{L}\p{N}]/u.test(word)) return NO_SIGN.test(chunk) ? nothing : decides(chunk);
  if (ASIDES.test(word)) return nothing;
  // Digits, signs, paths, calls, camelCase: to the letter.
  if (!PLAIN.test(word) || /\p{Ll}\p{Lu}/u.test(word)) {
    return decides(/^\p{N}[\p{N},.]*$/u.test(word) ? word.replaceAll(",", "") : word);
  }
  const full = word.toLowerCase().replaceAll("’", "'");
  if (full.endsWith("n't")) return decides("not");
  const lower = full.replace(/'[a-z]{1,2}$/, "").replaceAll("'", "");
  const deciding = DECIDERS.get(lower) ?? NUMBER_WORDS.get(lower);
  return deciding === undefined ? { ...nothing, ...readPlain(word, lower) } : decides(deciding);
}

function bareWord(chunk: string): string {
  const opened = chunk.replace(EDGES_BEFORE, "");
  const word = withoutEndMarks(opened.replace(EDGES_AFTER, ""), opened === chunk);
  return word.replace(EDGES_AFTER, "");
}

function readPlain(word: string, lower: string): Partial<Reading> {
  const isSmall = FILLERS.has(lower) || SMALL_WORDS.has(lower);
  const isCapital = word.length <= 3 && word === word.toUpperCase();
  const acronym = isSmall && isCapital ? word : "";
  if (FILLERS.has(lower)) return { acronym };
  return {
    word: stem(SYNONYMS.get(lower) ?? lower),
    optional: isSmall || INTENSIFIERS.has(lower),
    named: word !== word.toLowerCase(),
    acronym,
  };
}
