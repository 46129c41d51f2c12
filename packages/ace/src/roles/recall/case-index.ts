import type { Skill } from "../../skillbook/skill.ts";
import type { SkillbookView } from "../../skillbook/view.ts";
import { withoutAnswer } from "../../text/answer-line.ts";
import { normaliseText } from "../../text/normalise.ts";
import { taughtAnswer } from "./case.ts";
import { caseFeatures, type Features } from "./features.ts";

/** A stored case near to a question. */
export interface Neighbour {
  readonly skill: Skill;
  readonly answer: string;
  /** The answer's normal form: equal for answers that differ only in case, spacing and punctuation. */
  readonly answerKey: string;
  /** Cosine of the weighted features, 0 … 1. */
  readonly similarity: number;
}

interface Case {
  skill: Skill;
  readonly text: string;
  readonly answer: string;
  readonly answerKey: string;
  readonly slot: number;
  /** Feature numbers and, in the same order, weights. */
  readonly features: Int32Array;
  readonly weights: Uint8Array;
}

/** Cases whose exact similarity is computed: far more than ever vote, far fewer than a book holds. */
const CANDIDATES = 120;
/**
 * A feature that more than a third of the cases have (its rarity is below this) is not followed: it tells little, and template words
 * like "what is" would make every question visit every case. Accuracy is the same with and without (cross-validated).
 */
const LEAST_RARITY = Math.log(3);
/** A posting packs the slot of a case and the feature's weight there into one small integer. */
const WEIGHT_BITS = 8;
const WEIGHT_MASK = (1 << WEIGHT_BITS) - 1;

/** Skills are immutable, so what was read from one stays true for any book and any index that holds it. */
const featuresOfSkill = new WeakMap<Skill, Features>();

/**
 * Inverted index over the lessons of a book that are cases (they end with an answer line). It follows the book by comparing skill
 * objects, and a result is a function of the skills alone: the order in which the index came to hold them leaves no trace.
 */
export class CaseIndex {
  readonly #cases = new Map<string, Case>();
  readonly #bySlot: (Case | undefined)[] = [];
  /** Case text -> ids of the skills that hold it. */
  readonly #sameText = new Map<string, Set<string>>();
  readonly #freeSlots: number[] = [];
  /** Feature key -> feature number, counting from 0 in this index. */
  readonly #numbers = new Map<number, number>();
  /** By feature number: the cases that have the feature, and how many they are. */
  readonly #postings: number[][] = [];
  #counts = new Int32Array(1_024);
  #scores = new Float64Array(256);
  #view: WeakRef<SkillbookView> | undefined;
  #revision = -1;

  /** Number of cases. */
  get size(): number {
    return this.#cases.size;
  }

  /** Takes over what changed since the last call; costs a comparison per skill when the revision moved, else nothing. */
  sync(book: SkillbookView): void {
    if (this.#view?.deref() === book && this.#revision === book.revision) return;
    const kept = new Set<string>();
    for (const skill of book.skills()) {
      const known = this.#cases.get(skill.id);
      kept.add(skill.id);
      if (known?.skill === skill) continue;
      // A tag makes a new skill object with the same content, whose features are the same.
      if (known?.skill.content === skill.content) {
        known.skill = skill;
        continue;
      }
      if (known !== undefined) this.#remove(known);
      this.#add(skill);
    }
    for (const [id, known] of this.#cases) if (!kept.has(id)) this.#remove(known);
    this.#view = new WeakRef(book);
    this.#revision = book.revision;
  }

  /** The cases most similar to a case text, best first; equals in order of their ids. */
  nearest(
    text: string,
    limit: number,
    accept: (skill: Skill) => boolean = () => true,
  ): Neighbour[] {
    const query = caseFeatures(text);
    const total = Math.log(this.#cases.size + 1);
    const found = this.#score(query, total).filter(({ skill }) => accept(skill));
    const scores = this.#scores;
    const least = leastOfBest(found.map(({ slot }) => scores[slot] ?? 0));
    const length = this.#queryLength(query, total);
    const neighbours: Neighbour[] = [];
    for (const near of found) {
      const score = scores[near.slot] ?? 0;
      if (score < least) continue;
      const similarity = score / (length * this.#caseLength(near, total));
      const { skill, answer, answerKey } = near;
      neighbours.push({ skill, answer, answerKey, similarity });
    }
    scores.fill(0);
    return neighbours
      .toSorted((a, b) => b.similarity - a.similarity || compareIds(a.skill, b.skill))
      .slice(0, limit);
  }

  /** The skills that hold this very case, in order of their ids. */
  withText(text: string): Skill[] {
    const ids = [...(this.#sameText.get(text) ?? [])];
    return ids.flatMap((id) => this.#cases.get(id)?.skill ?? []).toSorted(compareIds);
  }

  /** Adds up the score of every case that shares a feature with the query, feature by feature in the query's order. */
  #score({ keys, weights }: Features, total: number): Case[] {
    const touched: Case[] = [];
    const scores = this.#scores;
    for (let i = 0; i < keys.length; i++) {
      const number = this.#numbers.get(keys[i] ?? 0) ?? -1;
      const count = this.#counts[number] ?? 0;
      const rarity = total - logOf(count);
      if (count === 0 || (rarity < LEAST_RARITY && this.#cases.size > 10)) continue;
      const weight = (weights[i] ?? 0) * rarity * rarity;
      for (const entry of this.#postings[number] ?? []) {
        const slot = entry >> WEIGHT_BITS;
        const score = scores[slot] ?? 0;
        const known = score === 0 ? this.#bySlot[slot] : undefined;
        if (known !== undefined) touched.push(known);
        scores[slot] = score + weight * (entry & WEIGHT_MASK);
      }
    }
    return touched;
  }

  #queryLength({ keys, weights }: Features, total: number): number {
    let sum = 0;
    for (let i = 0; i < keys.length; i++) {
      const count = this.#counts[this.#numbers.get(keys[i] ?? 0) ?? -1] ?? 0;
      sum += ((weights[i] ?? 0) * (total - logOf(count))) ** 2;
    }
    return Math.sqrt(sum);
  }

  #caseLength({ features, weights }: Case, total: number): number {
    const counts = this.#counts;
    let sum = 0;
    for (let i = 0; i < features.length; i++) {
      const weight = (weights[i] ?? 0) * (total - logOf(counts[features[i] ?? 0] ?? 0));
      sum += weight * weight;
    }
    return Math.sqrt(sum);
  }

  #add(skill: Skill): void {
    const answer = taughtAnswer(skill);
    if (answer === undefined) return;
    const { keys, weights } = featuresOf(skill);
    const slot = this.#freeSlots.pop() ?? this.#bySlot.length;
    if (slot >= this.#scores.length) this.#scores = new Float64Array(this.#scores.length * 2);
    const features = Int32Array.from(keys, (key, i) => {
      const number = this.#numberOf(key);
      this.#postings[number]?.push((slot << WEIGHT_BITS) | (weights[i] ?? 0));
      this.#counts[number] = (this.#counts[number] ?? 0) + 1;
      return number;
    });
    const text = withoutAnswer(skill.content);
    const answerKey = normaliseText(answer);
    const added: Case = { skill, text, answer, answerKey, slot, features, weights };
    this.#cases.set(skill.id, added);
    this.#bySlot[slot] = added;
    const same = this.#sameText.get(text);
    if (same === undefined) this.#sameText.set(text, new Set([skill.id]));
    else same.add(skill.id);
  }

  #numberOf(key: number): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#postings.length;
    this.#numbers.set(key, number);
    this.#postings.push([]);
    if (number >= this.#counts.length) {
      const larger = new Int32Array(this.#counts.length * 2);
      larger.set(this.#counts);
      this.#counts = larger;
    }
    return number;
  }

  #remove(known: Case): void {
    for (const number of known.features) {
      const posting = this.#postings[number] ?? [];
      const at = posting.findIndex((entry) => entry >> WEIGHT_BITS === known.slot);
      const last = posting.pop() ?? 0;
      if (at < posting.length) posting[at] = last;
      this.#counts[number] = posting.length;
    }
    const { id } = known.skill;
    this.#cases.delete(id);
    const same = this.#sameText.get(known.text);
    same?.delete(id);
    if (same?.size === 0) this.#sameText.delete(known.text);
    this.#bySlot[known.slot] = undefined;
    this.#freeSlots.push(known.slot);
  }
}

const logs: number[] = [0];

/** Logarithm of a count of cases; of 0 as of 1, because a feature that no case has is as rare as one that a single case has. */
function logOf(count: number): number {
  for (let next = logs.length; next <= count; next++) logs.push(Math.log(next));
  return logs[count] ?? 0;
}

/** The score that the best {@link CANDIDATES} reach at least; all who reach it go on, so that ties need no order here. */
function leastOfBest(scores: readonly number[]): number {
  if (scores.length <= CANDIDATES) return 0;
  const sorted = Float64Array.from(scores).sort();
  return sorted[sorted.length - CANDIDATES] ?? 0;
}

function featuresOf(skill: Skill): Features {
  let features = featuresOfSkill.get(skill);
  if (features === undefined) {
    features = caseFeatures(withoutAnswer(skill.content));
    featuresOfSkill.set(skill, features);
  }
  return features;
}

function compareIds(a: Skill, b: Skill): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
