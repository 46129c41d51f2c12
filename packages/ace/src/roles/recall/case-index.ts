import type { Skill } from "../../skillbook/skill.ts";
import type { SkillbookView } from "../../skillbook/view.ts";
import { answerOf, withoutAnswer } from "../../text/answer-line.ts";
import { caseFeatures, type Features } from "./features.ts";

/** A stored case near to a question. */
export interface Neighbour {
  readonly skill: Skill;
  readonly answer: string;
  /** Cosine of the weighted features, 0 … 1. */
  readonly similarity: number;
}

interface Case {
  skill: Skill;
  readonly answer: string;
  readonly slot: number;
  readonly postings: readonly Posting[];
  readonly weights: readonly number[];
}

/** The cases that have a feature. */
interface Posting {
  readonly slots: number[];
  readonly weights: number[];
}

/** Cases whose exact similarity is computed: far more than ever vote, far fewer than a book holds. */
const CANDIDATES = 120;

/** Skills are immutable, so what was read from one stays true for any book and any index that holds it. */
const featuresOfSkill = new WeakMap<Skill, Features>();

/**
 * Inverted index over the lessons of a book that are cases (they end with an answer line). It follows the book by comparing skill
 * objects, and everything in it is a function of the skills it holds: how it came to hold them leaves no trace in a result.
 */
export class CaseIndex {
  readonly #cases = new Map<string, Case>();
  readonly #bySlot: (Case | undefined)[] = [];
  readonly #freeSlots: number[] = [];
  readonly #postings = new Map<number, Posting>();
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
    const skills = book.skills();
    const seen = new Set<string>();
    for (const skill of skills) {
      seen.add(skill.id);
      const known = this.#cases.get(skill.id);
      if (known?.skill === skill) continue;
      // A tag makes a new skill object with the same content: its features stay.
      if (known?.skill.content === skill.content) {
        known.skill = skill;
        continue;
      }
      if (known !== undefined) this.#remove(known);
      this.#add(skill);
    }
    if (this.#cases.size > 0) {
      for (const known of this.#cases.values()) {
        if (!seen.has(known.skill.id)) this.#remove(known);
      }
    }
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
    const touched = this.#score(query, total);
    const candidates = touched
      .map((found) => ({ found, score: this.#scores[found.slot] ?? 0 }))
      .filter(({ found }) => accept(found.skill));
    for (const { slot } of touched) this.#scores[slot] = 0;
    candidates.sort((a, b) => b.score - a.score || compareIds(a.found.skill, b.found.skill));
    const length = this.#queryLength(query, total);
    return candidates
      .slice(0, CANDIDATES)
      .map(({ found, score }) => ({
        skill: found.skill,
        answer: found.answer,
        similarity: score / (length * caseLength(found, total)),
      }))
      .toSorted((a, b) => b.similarity - a.similarity || compareIds(a.skill, b.skill))
      .slice(0, limit);
  }

  #score(query: Features, total: number): Case[] {
    const touched: Case[] = [];
    const { keys, weights } = query;
    for (let i = 0; i < keys.length; i++) {
      const posting = this.#postings.get(keys[i] ?? 0);
      if (posting === undefined) continue;
      const { slots } = posting;
      const rarity = total - Math.log(slots.length);
      const weight = (weights[i] ?? 0) * rarity * rarity;
      for (let j = 0; j < slots.length; j++) {
        const slot = slots[j] ?? 0;
        const score = this.#scores[slot] ?? 0;
        if (score === 0) {
          const found = this.#bySlot[slot];
          if (found !== undefined) touched.push(found);
        }
        this.#scores[slot] = score + weight * (posting.weights[j] ?? 0);
      }
    }
    return touched;
  }

  #queryLength({ keys, weights }: Features, total: number): number {
    let sum = 0;
    for (let i = 0; i < keys.length; i++) {
      const cases = this.#postings.get(keys[i] ?? 0)?.slots.length ?? 1;
      sum += ((weights[i] ?? 0) * (total - Math.log(cases))) ** 2;
    }
    return Math.sqrt(sum);
  }

  #add(skill: Skill): void {
    const answer = answerOf(skill.content);
    if (answer === undefined || answer === "") return;
    const features = featuresOf(skill);
    const slot = this.#freeSlots.pop() ?? this.#bySlot.length;
    if (slot >= this.#scores.length) this.#grow();
    const postings = features.keys.map((key, i) => {
      let posting = this.#postings.get(key);
      if (posting === undefined) this.#postings.set(key, (posting = { slots: [], weights: [] }));
      posting.slots.push(slot);
      posting.weights.push(features.weights[i] ?? 0);
      return posting;
    });
    const added: Case = { skill, answer, slot, postings, weights: features.weights };
    this.#cases.set(skill.id, added);
    this.#bySlot[slot] = added;
  }

  #remove(known: Case): void {
    for (const posting of known.postings) {
      const at = posting.slots.indexOf(known.slot);
      const lastSlot = posting.slots.pop();
      const lastWeight = posting.weights.pop();
      if (at < posting.slots.length) {
        posting.slots[at] = lastSlot ?? 0;
        posting.weights[at] = lastWeight ?? 0;
      }
    }
    this.#cases.delete(known.skill.id);
    this.#bySlot[known.slot] = undefined;
    this.#freeSlots.push(known.slot);
  }

  #grow(): void {
    const larger = new Float64Array(this.#scores.length * 2);
    larger.set(this.#scores);
    this.#scores = larger;
  }
}

function featuresOf(skill: Skill): Features {
  let features = featuresOfSkill.get(skill);
  if (features === undefined) {
    features = caseFeatures(withoutAnswer(skill.content));
    featuresOfSkill.set(skill, features);
  }
  return features;
}

function caseLength({ postings, weights }: Case, total: number): number {
  let sum = 0;
  for (let i = 0; i < postings.length; i++) {
    sum += ((weights[i] ?? 0) * (total - Math.log(postings[i]?.slots.length ?? 1))) ** 2;
  }
  return Math.sqrt(sum);
}

function compareIds(a: Skill, b: Skill): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
