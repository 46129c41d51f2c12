import type { Skill } from "../../skillbook/skill.ts";
import type { SkillbookView } from "../../skillbook/view.ts";
import { withoutAnswer } from "../../text/answer-line.ts";
import { normaliseText } from "../../text/normalise.ts";
import { taughtAnswer } from "./case.ts";
import type { Features } from "./feature-bag.ts";
import { caseFeatures } from "./features.ts";
import { Postings } from "./postings.ts";

/** A stored case near to a question. */
export interface Neighbour {
  readonly skill: Skill;
  readonly answer: string;
  /** The answer's normal form: equal for answers that differ only in case, spacing and punctuation. */
  readonly answerKey: string;
  /** Cosine of the features weighted by their evidence, 0 … 1. */
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
const CANDIDATES = 60;

/** Skills are immutable, so what was read from one stays true for any book and any index that holds it. */
const featuresOfSkill = new WeakMap<Skill, Features>();

/**
 * Inverted index over the lessons of a book that are cases (they end with an answer line). It follows the book by comparing skill
 * objects, and a result is a function of the skills alone: the order in which the index came to hold them leaves no trace.
 */
export class CaseIndex {
  readonly #cases = new Map<string, Case>();
  readonly #bySlot: (Case | undefined)[] = [];
  readonly #freeSlots: number[] = [];
  readonly #postings = new Postings();
  /** Case text -> ids of the skills that hold it. */
  readonly #sameText = new Map<string, Set<string>>();
  readonly #answerNumbers = new Map<string, number>();
  #scores = new Float64Array(256);
  #last: { readonly text: string; readonly features: Features } = {
    text: "",
    features: caseFeatures(""),
  };
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
    let changed = false;
    for (const skill of book.skills()) {
      kept.add(skill.id);
      changed = this.#take(skill) || changed;
    }
    for (const [id, known] of this.#cases) {
      if (kept.has(id)) continue;
      this.#remove(known);
      changed = true;
    }
    if (changed) this.#postings.settle(this.#cases.size);
    this.#view = new WeakRef(book);
    this.#revision = book.revision;
  }

  /** The cases most similar to a case text, best first; equals in order of their ids. */
  nearest(
    text: string,
    limit: number,
    accept: (skill: Skill) => boolean = () => true,
  ): Neighbour[] {
    const query = this.#featuresOfText(text);
    const numbers = Int32Array.from(query.keys, (key) => this.#postings.find(key));
    const found = this.#score(numbers, query.weights).filter(({ skill }) => accept(skill));
    const scores = this.#scores;
    const least = leastOfBest(found.map(({ slot }) => scores[slot] ?? 0));
    const length = this.#length(numbers, query.weights);
    const neighbours: Neighbour[] = [];
    for (const { skill, answer, answerKey, slot, features, weights } of found) {
      const score = scores[slot] ?? 0;
      if (score < least) continue;
      const similarity = score / (length * this.#length(features, weights));
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
  #score(numbers: Int32Array, weights: Uint8Array): Case[] {
    const touched: Case[] = [];
    const onFirst = (slot: number): void => {
      const found = this.#bySlot[slot];
      if (found !== undefined) touched.push(found);
    };
    for (let i = 0; i < numbers.length; i++) {
      const number = numbers[i] ?? -1;
      const weight = (weights[i] ?? 0) * this.#postings.evidence(number);
      if (number >= 0 && weight > 0)
        this.#postings.addScores(number, weight, this.#scores, onFirst);
    }
    return touched;
  }

  #length(features: Int32Array, weights: Uint8Array): number {
    let sum = 0;
    for (let i = 0; i < features.length; i++) {
      const weight = weights[i] ?? 0;
      sum += weight * weight * this.#postings.evidence(features[i] ?? -1);
    }
    return Math.sqrt(sum);
  }

  /** Returns whether features changed. */
  #take(skill: Skill): boolean {
    const known = this.#cases.get(skill.id);
    if (known?.skill === skill) return false;
    // A tag makes a new skill object with the same content, whose features are the same.
    if (known?.skill.content === skill.content) {
      known.skill = skill;
      return false;
    }
    if (known !== undefined) this.#remove(known);
    return this.#add(skill) || known !== undefined;
  }

  #add(skill: Skill): boolean {
    const answer = taughtAnswer(skill);
    if (answer === undefined) return false;
    const text = withoutAnswer(skill.content);
    const { keys, weights } = this.#featuresOfSkill(skill, text);
    const answerKey = normaliseText(answer);
    const slot = this.#freeSlots.pop() ?? this.#bySlot.length;
    if (slot >= this.#scores.length) this.#scores = new Float64Array(this.#scores.length * 2);
    const features = this.#postings.add(slot, this.#answerNumber(answerKey), keys, weights);
    const added: Case = { skill, text, answer, answerKey, slot, features, weights };
    this.#cases.set(skill.id, added);
    this.#bySlot[slot] = added;
    const same = this.#sameText.get(text);
    if (same === undefined) this.#sameText.set(text, new Set([skill.id]));
    else same.add(skill.id);
    return true;
  }

  #remove({ skill: { id }, slot, features, text }: Case): void {
    this.#postings.remove(slot, features);
    this.#cases.delete(id);
    this.#bySlot[slot] = undefined;
    this.#freeSlots.push(slot);
    const same = this.#sameText.get(text);
    same?.delete(id);
    if (same?.size === 0) this.#sameText.delete(text);
  }

  #featuresOfSkill(skill: Skill, text: string): Features {
    let features = featuresOfSkill.get(skill);
    if (features === undefined) {
      features = this.#featuresOfText(text);
      featuresOfSkill.set(skill, features);
    }
    return features;
  }

  /** Asking, comparing and adding a case follow each other in learning, so the last text is remembered. */
  #featuresOfText(text: string): Features {
    if (this.#last.text !== text) this.#last = { text, features: caseFeatures(text) };
    return this.#last.features;
  }

  #answerNumber(answerKey: string): number {
    const known = this.#answerNumbers.get(answerKey);
    const number = known ?? this.#answerNumbers.size;
    if (known === undefined) this.#answerNumbers.set(answerKey, number);
    return number;
  }
}

/** The score that the best {@link CANDIDATES} reach at least; all who reach it go on, so that ties need no order here. */
function leastOfBest(scores: readonly number[]): number {
  if (scores.length <= CANDIDATES) return 0;
  const sorted = Float64Array.from(scores).sort();
  return sorted[sorted.length - CANDIDATES] ?? 0;
}

function compareIds(a: Skill, b: Skill): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
