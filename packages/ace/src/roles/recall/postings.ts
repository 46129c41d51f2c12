import { evidenceOf } from "./evidence.ts";

/** A posting packs the slot of a case and the feature's weight there into one small integer. */
const WEIGHT_BITS = 8;
const WEIGHT_MASK = (1 << WEIGHT_BITS) - 1;

/**
 * A feature that more than a third of the cases have is not followed in a search: it tells little, and template words like "what is" would
 * make every question visit every case. Accuracy is the same with and without (cross-validated).
 */
const MOST_FOLLOWED = 1 / 3;
/** In a book of fewer cases there is no telling yet what is common. */
const FEW_CASES = 10;

/**
 * Which cases have which feature. Cases are named by slots, small numbers that are used again; features by numbers in the order in which
 * they came. Neither order shows in any result.
 */
export class Postings {
  /** Feature key -> feature number. */
  readonly #numbers = new Map<number, number>();
  readonly #entries: number[][] = [];
  /** By feature number: how many ordered pairs of its cases have the same answer. */
  readonly #agreeing: number[] = [];
  readonly #stale = new Set<number>();
  /** By feature number: its evidence, and the generation that it was computed for. */
  readonly #evidence: number[] = [];
  readonly #computedFor: number[] = [];
  #generation = 0;
  #total = 0;
  /** By slot: the answer as a number. */
  readonly #answers: number[] = [];
  readonly #answerCounts: number[] = [];

  /** Adds a case; returns the numbers of its features. */
  add(slot: number, answer: number, keys: Int32Array, weights: Uint8Array): Int32Array {
    this.#answers[slot] = answer;
    return Int32Array.from(keys, (key, i) => {
      const number = this.#numberOf(key);
      this.#entries[number]?.push((slot << WEIGHT_BITS) | (weights[i] ?? 0));
      this.#stale.add(number);
      return number;
    });
  }

  remove(slot: number, features: Int32Array): void {
    for (const number of features) {
      const entries = this.#entries[number] ?? [];
      const at = entries.findIndex((entry) => entry >> WEIGHT_BITS === slot);
      const last = entries.pop() ?? 0;
      if (at < entries.length) entries[at] = last;
      this.#stale.add(number);
    }
  }

  /** To be called after a round of additions and removals, with the number of cases there are now. */
  settle(total: number): void {
    for (const number of this.#stale) this.#agreeing[number] = this.#countAgreeing(number);
    this.#stale.clear();
    this.#total = total;
    this.#generation++;
  }

  /** The number of a feature; -1 if no case ever had it. */
  find(key: number): number {
    return this.#numbers.get(key) ?? -1;
  }

  /** Of the feature with this number; of a feature that no case has for -1. */
  evidence(number: number): number {
    if (number < 0) return evidenceOf(0, 0, this.#total);
    if (this.#computedFor[number] !== this.#generation) {
      const count = this.#entries[number]?.length ?? 0;
      this.#evidence[number] = evidenceOf(count, this.#agreeing[number] ?? 0, this.#total);
      this.#computedFor[number] = this.#generation;
    }
    return this.#evidence[number] ?? 0;
  }

  /** Adds `weight` times the feature's weight in a case to the score of each case that has it; calls `onFirst` for scores that were 0. */
  addScores(
    number: number,
    weight: number,
    scores: Float64Array,
    onFirst: (slot: number) => void,
  ): void {
    const entries = this.#entries[number] ?? [];
    if (this.#total > FEW_CASES && entries.length > this.#total * MOST_FOLLOWED) return;
    for (const entry of entries) {
      const slot = entry >> WEIGHT_BITS;
      const score = scores[slot] ?? 0;
      if (score === 0) onFirst(slot);
      scores[slot] = score + weight * (entry & WEIGHT_MASK);
    }
  }

  #numberOf(key: number): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#entries.length;
    this.#numbers.set(key, number);
    this.#entries.push([]);
    this.#agreeing.push(0);
    this.#evidence.push(0);
    this.#computedFor.push(-1);
    return number;
  }

  #countAgreeing(number: number): number {
    const counts = this.#answerCounts;
    const entries = this.#entries[number] ?? [];
    let agreeing = 0;
    for (const entry of entries) {
      const answer = this.#answers[entry >> WEIGHT_BITS] ?? 0;
      const before = counts[answer] ?? 0;
      agreeing += 2 * before;
      counts[answer] = before + 1;
    }
    for (const entry of entries) counts[this.#answers[entry >> WEIGHT_BITS] ?? 0] = 0;
    return agreeing;
  }
}
