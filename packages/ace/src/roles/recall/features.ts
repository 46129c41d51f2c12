import { splitCase } from "./case-text.ts";
import { findFocus } from "./focus.ts";
import { stem, type Token, tokenise } from "./tokens.ts";

/**
 * Features of a case: parallel lists of keys (hashes of feature names, the same in any process) and weights before inverse document
 * frequency, in steps of 1/100.
 */
export interface Features {
  readonly keys: Int32Array;
  readonly weights: Uint8Array;
}

/** How much each kind of feature counts. Found by cross-validation on the FiNER learning questions, in steps of about a fifth. */
export const FEATURE_WEIGHTS = {
  word: 0.35,
  pair: 0.25,
  near: 1,
  side: 0.8,
  offset: 0.7,
  shape: 1,
  unit: 1,
  adjacent: 0.8,
  content: 0.6,
  phrase: 0.8,
  context: 0.35,
  decay: 0.15,
  stop: 6,
};

const PLACES = 3;

const FUNCTION_WORDS = new Set(
  (
    "a an the of to in on at for by with and or as is was were be been are this that these those it its our we us their they which from " +
    "had has have not under upon than also such all any each per approximately about total respectively company inc corp llc during ended " +
    "through between if would will may can could into no what"
  )
    .split(" ")
    .map(stem),
);

/**
 * The lexical and position features of a case: its words and word pairs, and, if it has a focus, what stands near each of the first
 * places of the focus: words by distance and side, the words at exact offsets, adjacent pairs, and the shape of the focus itself.
 */
export function caseFeatures(text: string): Features {
  const bag = new FeatureBag();
  const { question, context } = splitCase(text);
  const whole = context === "" ? question : `${question}\n${context}`;
  const focus = findFocus(whole);
  const tokens = tokenise(whole);
  const outside =
    focus === undefined
      ? tokens
      : tokens.filter(({ start }) => start < focus.start || start >= focus.end);
  addWords(bag, outside, question.length);
  if (focus !== undefined) {
    for (const [rank, place] of focus.places.slice(0, PLACES).entries()) {
      const at = outside.findIndex(({ start }) => start >= place);
      let end = at;
      while (end < outside.length && (outside[end]?.start ?? 0) < place + focus.span.length) end++;
      if (at >= 0) addPlace(bag, outside, at, end, rank === 0 ? 1 : 0.5);
    }
  }
  return bag.features();
}

function addWords(bag: FeatureBag, tokens: readonly Token[], questionEnd: number): void {
  let before = "";
  for (const { form, kind, start } of tokens) {
    if (kind === "mark") continue;
    const scale = start > questionEnd ? FEATURE_WEIGHTS.context / 0.35 : 1;
    if (!isFunctionWord(form)) bag.add(`w ${form}`, FEATURE_WEIGHTS.word * scale);
    if (before !== "") bag.add(`p ${before} ${form}`, FEATURE_WEIGHTS.pair * scale);
    before = form;
  }
}

function addPlace(
  bag: FeatureBag,
  tokens: readonly Token[],
  from: number,
  to: number,
  scale: number,
): void {
  const form = (at: number): string => tokens[at]?.form ?? "";
  const left = form(from - 1);
  const right = form(to);
  const span = tokens.slice(from, to);
  const shape = span.map((token) => token.form).join(" ");
  const number = span[0]?.kind === "number";
  bag.add(`s ${shape}`, FEATURE_WEIGHTS.shape * 0.6 * scale);
  bag.add(`s number ${number}`, FEATURE_WEIGHTS.shape * 0.3 * scale);
  const unit = UNITS.has(right) ? right : "";
  bag.add(
    `q ${left === "$" ? "$" : ""} ${unit} ${number && shape.includes(".")}`,
    FEATURE_WEIGHTS.unit * scale,
  );
  for (let offset = 1; offset <= 4; offset++) {
    const weight = (FEATURE_WEIGHTS.offset * scale) / Math.sqrt(offset);
    bag.add(`l${offset} ${form(from - offset)}`, weight);
    bag.add(`r${offset} ${form(to - 1 + offset)}`, weight);
  }
  bag.add(`al ${form(from - 2)} ${left}`, FEATURE_WEIGHTS.adjacent * scale);
  bag.add(`ar ${right} ${form(to + 1)}`, FEATURE_WEIGHTS.adjacent * scale);
  bag.add(`am ${left} ${right}`, FEATURE_WEIGHTS.adjacent * scale);
  addSide(bag, tokens, from - 1, -1, scale);
  addSide(bag, tokens, to, 1, scale);
}

const UNITS = new Set(["%", "million", "billion", "thousand"]);

function addSide(
  bag: FeatureBag,
  tokens: readonly Token[],
  from: number,
  step: 1 | -1,
  scale: number,
): void {
  const side = step < 0 ? "L" : "R";
  let distance = 0;
  let rank = 0;
  let before = "";
  for (let at = from; distance < 40; at += step) {
    const token = tokens[at];
    if (token === undefined) break;
    const { form, kind } = token;
    if (kind === "mark") {
      if (form === "." || form === ";") distance += FEATURE_WEIGHTS.stop;
      continue;
    }
    if (form.startsWith("#")) {
      distance += 0.5;
      continue;
    }
    if (isFunctionWord(form)) {
      distance += 0.3;
      continue;
    }
    const weight = Math.exp(-FEATURE_WEIGHTS.decay * distance) * scale;
    bag.add(`n ${form}`, FEATURE_WEIGHTS.near * weight);
    bag.add(`${side} ${form}`, FEATURE_WEIGHTS.side * weight);
    if (rank < 3)
      bag.add(`c${side}${rank} ${form}`, (FEATURE_WEIGHTS.content * scale) / (1 + rank));
    if (before !== "")
      bag.add(
        step < 0 ? `h ${form} ${before}` : `h ${before} ${form}`,
        FEATURE_WEIGHTS.phrase * weight,
      );
    rank++;
    before = form;
    distance++;
  }
}

function isFunctionWord(form: string): boolean {
  return FUNCTION_WORDS.has(form);
}

/** Collects features; a feature seen twice keeps its larger weight, so that length alone brings no weight. */
class FeatureBag {
  readonly #weights = new Map<number, number>();

  add(name: string, weight: number): void {
    const key = hash(name);
    if (weight > (this.#weights.get(key) ?? 0)) this.#weights.set(key, weight);
  }

  features(): Features {
    const weights = Uint8Array.from(this.#weights.values(), (weight) =>
      Math.max(1, Math.min(255, Math.round(weight * 100))),
    );
    return { keys: Int32Array.from(this.#weights.keys()), weights };
  }
}

/** FNV-1a: numbers as keys take a fraction of the memory of names, and two of a million names colliding does no harm. */
function hash(name: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) {
    value = Math.imul(value ^ name.charCodeAt(i), 0x01000193);
  }
  return value | 0;
}
