import { NEGATED_ONLY, NEGATORS, NO_VERDICT, POLARITY_WORDS, WISH } from "./polarity-words.ts";

export type Polarity = "positive" | "negative" | "neutral";

/** Words between a negator and what it negates, at most: "I don't think that this is right". */
const NEGATION_REACH = 6;
/** A verdict stands in the first lines; the rest of a long report is detail. */
const READ_CHARS = 20_000;
const WORD = /[👍👎✅✔❌✗✘]|[\p{L}\p{N}]+(?:[-'][\p{L}\p{N}]+)*/gu;
const SENTENCE_END = /(?<=[.!?])\s+|\n+/u;
/** What follows one of these outweighs what stood before it. */
const TURN = /\b(?:but|however|although|though|yet)\b/u;
/** Negation doesn't reach over these. */
const CLAUSE_END = /[,;:()–—!]|\s-\s|\.(?:\s|$)|\b(?:because|since|so|and)\b/u;
const OPENING_NO = /^\W*no(?=\s*(?:[,.;:!–—-]|$)|\s+(?:it|this|that|the)\b)/u;
const POINTS = /^\s*([+-])1[.!]?\s*$/;

interface WordLists {
  readonly positive: readonly string[];
  readonly negative: readonly string[];
}

/**
 * What a free text says of an answer, decided by the word lists of `polarity-words.ts` (English). Negation counts: "not correct", "isn't
 * right" and "no longer right" are negative, "not wrong" and "no longer wrong" positive; what follows a "but" outweighs what stood before
 * it. Questions, texts without a judging word and texts that contradict themselves are neutral.
 */
export function polarityOf(feedback: string): Polarity {
  const points = POINTS.exec(feedback)?.[1];
  if (points !== undefined) return points === "+" ? "positive" : "negative";
  const sentences = feedback
    .slice(0, READ_CHARS)
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll("’", "'")
    .split(SENTENCE_END)
    .filter((sentence) => !sentence.trimEnd().endsWith("?"));
  const verdicts = sentences.map((sentence) =>
    lastPolarity(sentence, POLARITY_WORDS.verdict, true),
  );
  if (verdicts.some((verdict) => verdict !== undefined)) return unanimous(verdicts);
  return unanimous(sentences.map((part) => lastPolarity(part, POLARITY_WORDS.liking, false)));
}

/** The polarity of the last part of a sentence that has one, its parts being divided by "but" and the like. */
function lastPolarity(sentence: string, lists: WordLists, wishes: boolean): Polarity | undefined {
  let last: Polarity | undefined;
  for (const part of sentence.split(TURN)) {
    const found: Polarity[] = [];
    if (wishes && (WISH.test(part) || OPENING_NO.test(part))) found.push("negative");
    const judging = NO_VERDICT.reduce((text, phrase) => text.replace(phrase, " "), part);
    for (const clause of judging.replace(OPENING_NO, " ").split(CLAUSE_END)) {
      found.push(...clausePolarities(clause, lists));
    }
    if (found.length > 0) last = unanimous(found);
  }
  return last;
}

function clausePolarities(clause: string, { positive, negative }: WordLists): Polarity[] {
  const found: Polarity[] = [];
  let negated = false;
  let reach = 0;
  for (const [word] of clause.matchAll(WORD)) {
    if (NEGATORS.has(word) || word.endsWith("n't")) {
      // Two negators cancel out only while the first still reaches: "I don't think it is not right".
      negated = reach > 0 ? !negated : true;
      reach = NEGATION_REACH;
      continue;
    }
    if (reach === 0) negated = false;
    else reach--;
    if (positive.includes(word)) found.push(negated ? "negative" : "positive");
    else if (negative.includes(word)) found.push(negated ? "positive" : "negative");
    else if (negated && NEGATED_ONLY.has(word)) found.push("negative");
  }
  return found;
}

function unanimous(found: readonly (Polarity | undefined)[]): Polarity {
  const distinct = new Set(found.filter((polarity) => polarity !== undefined));
  const [only] = distinct;
  return distinct.size === 1 && only !== undefined ? only : "neutral";
}
