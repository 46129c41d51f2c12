import { splitCase } from "./case-text.ts";
import { FeatureBag, type Features } from "./feature-bag.ts";
import { type Focus, findFocus } from "./focus.ts";
import { stem, type Token, tokenise } from "./tokens.ts";

/**
 * How much each kind of feature counts. Found by four-fold cross-validation on the FiNER learning questions (accuracy 0.65; leaving
 * one kind out costs up to five points, changing a weight by a third less than one). Tried without gain: pairs with function
 * words, words at exact offsets, pairs with gaps, the place in a series of numbers, words cut to their first letters.
 */
const FEATURE_WEIGHTS = {
  /** Of a text without a focus. */
  word: 1,
  phrase: 0.5,
  /** Of a text with a focus: a word anywhere, and in the sentence of the focus. */
  farWord: 0.2,
  sentenceWord: 0.6,
  /** Near the focus, fading with the distance. */
  sideWord: 0.8,
  nearPhrase: 0.8,
  /** The nearest content words by rank: 1st, 2nd, … on each side. */
  rankedWord: 0.6,
  shape: 0.67,
  unit: 0.75,
};

/** Places of the focus that are looked at; further ones count half, because the first is mostly meant. */
const PLACES = 3;
const REACH = 40;
/** Fading per content word. */
const FADING = 0.15;
/** Steps that a function word, a number and a sentence end count for. */
const FUNCTION_STEP = 0.3;
const NUMBER_STEP = 0.5;
const SENTENCE_STEP = 6;
const RANKS = 4;
const SENTENCE_END = /^[.;!?…。！？]$/u;
const UNITS = new Set(
  "% million billion thousand percent year month day share per".split(" ").map(stem),
);
const CURRENCIES = new Set("$ € £ ¥".split(" "));

/** Words that carry a sentence, not its matter: sharing one makes no two cases alike. English; elsewhere rarity does this work. */
const FUNCTION_WORDS = new Set(
  (
    "a an the of to in on at for by with and or as is was were be been are am this that these those it its i me my we us our you your he she " +
    "his her they them their who whom whose what which when where why how from had has have having do does did not no than all any each per " +
    "under upon about approximately respectively during also such so if then there here through between would will shall should may might " +
    "must can could into but please"
  )
    .split(" ")
    .map(stem),
);

/**
 * The lexical and position features of a case. With a focus: the words of its text, of its sentence, near it on each side, adjacent
 * content words near it, and the focus's own shape and unit. Without one: words and adjacent content words.
 */
export function caseFeatures(text: string): Features {
  const bag = new FeatureBag();
  const { question, context } = splitCase(text);
  const whole = context === "" ? question : `${question}\n${context}`;
  const tokens = tokenise(whole);
  const focus = findFocus(whole);
  if (focus === undefined) addText(bag, whole, tokens);
  else addFocus(bag, tokens, focus);
  return bag.features();
}

function addText(bag: FeatureBag, text: string, tokens: readonly Token[]): void {
  let before = "";
  for (const token of tokens) {
    if (!isContent(token)) continue;
    // "error 404" and "form 1040" mean these very numbers; only a number in focus is one of many of its kind.
    const word = token.kind === "number" ? text.slice(token.start, token.end) : token.form;
    bag.add(`w ${word}`, FEATURE_WEIGHTS.word);
    if (before !== "") bag.add(`p ${before} ${word}`, FEATURE_WEIGHTS.phrase);
    before = word;
  }
}

function addFocus(bag: FeatureBag, tokens: readonly Token[], focus: Focus): void {
  const outside = tokens.filter(({ start }) => start < focus.start || start >= focus.end);
  for (const token of outside) {
    if (isContent(token)) bag.add(`w ${token.form}`, FEATURE_WEIGHTS.farWord);
  }
  for (const [rank, place] of focus.places.slice(0, PLACES).entries()) {
    const from = outside.findIndex(({ start }) => start >= place);
    if (from < 0) continue;
    let to = from + 1;
    while ((outside[to]?.start ?? Infinity) < place + focus.span.length) to++;
    addPlace(bag, outside, { from, to, scale: rank === 0 ? 1 : 0.5 });
  }
}

/** Where the focus stands: the tokens from `from` up to, not including, `to`. */
interface Place {
  readonly from: number;
  readonly to: number;
  readonly scale: number;
}

function addPlace(bag: FeatureBag, tokens: readonly Token[], place: Place): void {
  const { from, to, scale } = place;
  addShape(bag, tokens, place);
  for (let at = from - 1; at >= 0 && !isSentenceEnd(tokens[at]); at--) {
    addSentenceWord(bag, tokens[at], scale);
  }
  for (let at = to; at < tokens.length && !isSentenceEnd(tokens[at]); at++) {
    addSentenceWord(bag, tokens[at], scale);
  }
  addSide(bag, tokens, from - 1, -1, scale);
  addSide(bag, tokens, to, 1, scale);
}

function addShape(bag: FeatureBag, tokens: readonly Token[], { from, to, scale }: Place): void {
  const span = tokens.slice(from, to);
  const isNumber = span[0]?.kind === "number";
  bag.add(`s ${span.map(({ form }) => form).join(" ")}`, FEATURE_WEIGHTS.shape * scale);
  bag.add(`s ${isNumber ? "number" : "text"}`, (FEATURE_WEIGHTS.shape / 2) * scale);
  const before = tokens[from - 1]?.form ?? "";
  const after = tokens[to]?.form ?? "";
  const unit = `${CURRENCIES.has(before) ? before : ""} ${UNITS.has(after) ? after : ""}`;
  const isDecimal = isNumber && span.some(({ form }) => form.includes("."));
  bag.add(`u ${unit}`, FEATURE_WEIGHTS.unit * scale);
  bag.add(`u ${unit} ${isDecimal ? "decimal" : ""}`, FEATURE_WEIGHTS.unit * scale);
}

function addSentenceWord(bag: FeatureBag, token: Token | undefined, scale: number): void {
  if (token === undefined || !isContent(token)) return;
  bag.add(`t ${token.form}`, FEATURE_WEIGHTS.sentenceWord * scale);
}

function addSide(
  bag: FeatureBag,
  tokens: readonly Token[],
  from: number,
  step: 1 | -1,
  scale: number,
): void {
  const side = step < 0 ? "l" : "r";
  let distance = 0;
  let rank = 0;
  let before = "";
  for (let at = from; distance < REACH; at += step) {
    const token = tokens[at];
    if (token === undefined) return;
    if (token.kind === "mark") distance += isSentenceEnd(token) ? SENTENCE_STEP : 0;
    else if (token.form.startsWith("#")) distance += NUMBER_STEP;
    else if (FUNCTION_WORDS.has(token.form)) distance += FUNCTION_STEP;
    else {
      const { form } = token;
      const weight = Math.exp(-FADING * distance) * scale;
      bag.add(`${side} ${form}`, FEATURE_WEIGHTS.sideWord * weight);
      if (rank < RANKS) {
        bag.add(`${side}${rank} ${form}`, (FEATURE_WEIGHTS.rankedWord * scale) / (1 + rank));
      }
      if (before !== "") {
        const phrase = step < 0 ? `${form} ${before}` : `${before} ${form}`;
        bag.add(`p ${phrase}`, FEATURE_WEIGHTS.nearPhrase * weight);
      }
      before = form;
      rank++;
      distance++;
    }
  }
}

function isContent({ kind, form }: Token): boolean {
  return kind !== "mark" && !FUNCTION_WORDS.has(form);
}

function isSentenceEnd(token: Token | undefined): boolean {
  return token?.kind === "mark" && SENTENCE_END.test(token.form);
}
