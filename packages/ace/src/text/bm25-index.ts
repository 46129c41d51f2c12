/** Saturation of repeated terms and weight of document length: the usual values (Robertson and Zaragoza 2009). */
const K1 = 1.2;
const B = 0.75;

interface Postings {
  readonly slots: number[];
  readonly counts: number[];
}

/** A query term with its weight. */
export type WeightedTerms = ReadonlyMap<string, number>;

/**
 * Inverted index with Okapi BM25. Documents are numbered by slot; slots of removed ones are used again. All statistics are integers, so
 * scores depend on the documents held, not on the order in which they came and went.
 *
 * MiniSearch 7.1 was measured first: 65 µs to add a skill and 1.3 µs a posting, that is 0.8 s to index 10,000 skills and 55 ms for ten
 * everyday words. This index takes 0.1 s and under 1 ms for the same, and a prompt is built at every question.
 */
export class Bm25Index {
  readonly #postings = new Map<string, Postings>();
  /** Terms of the document in a slot, 0 when the slot is free. */
  readonly #lengths: number[] = [];
  readonly #free: number[] = [];
  #size = 0;
  #totalLength = 0;
  #scores = new Float64Array(0);

  /** Documents held. */
  get size(): number {
    return this.#size;
  }

  /** Documents that hold a term. */
  frequency(term: string): number {
    return this.#postings.get(term)?.slots.length ?? 0;
  }

  /** @returns the slot of the new document */
  add(terms: readonly string[]): number {
    const slot = this.#free.pop() ?? this.#lengths.length;
    this.#lengths[slot] = terms.length;
    this.#totalLength += terms.length;
    this.#size++;
    for (const term of terms) {
      let postings = this.#postings.get(term);
      if (postings === undefined) {
        postings = { slots: [], counts: [] };
        this.#postings.set(term, postings);
      }
      const last = postings.slots.length - 1;
      // A slot is appended once a document, so only the last one can be this document's.
      if (postings.slots[last] === slot) postings.counts[last] = (postings.counts[last] ?? 0) + 1;
      else {
        postings.slots.push(slot);
        postings.counts.push(1);
      }
    }
    return slot;
  }

  /** @param terms those that the document was added with */
  remove(slot: number, terms: readonly string[]): void {
    for (const term of new Set(terms)) {
      const postings = this.#postings.get(term);
      const at = postings?.slots.indexOf(slot) ?? -1;
      if (postings === undefined || at === -1) continue;
      const lastSlot = postings.slots.pop();
      const lastCount = postings.counts.pop();
      if (postings.slots.length === 0) this.#postings.delete(term);
      else if (at < postings.slots.length && lastSlot !== undefined && lastCount !== undefined) {
        postings.slots[at] = lastSlot;
        postings.counts[at] = lastCount;
      }
    }
    this.#totalLength -= terms.length;
    this.#lengths[slot] = 0;
    this.#size--;
    this.#free.push(slot);
  }

  /** Calls back once for each document that holds a term of the query, with its score (above 0), in no particular order. */
  score(query: WeightedTerms, visit: (slot: number, score: number) => void): void {
    if (this.#scores.length < this.#lengths.length) {
      this.#scores = new Float64Array(this.#lengths.length * 2);
    }
    const scores = this.#scores;
    const touched: number[] = [];
    const averageLength = this.#totalLength / this.#size;
    for (const [term, weight] of query) {
      const postings = this.#postings.get(term);
      if (postings === undefined) continue;
      const { slots, counts } = postings;
      const idf = Math.log(1 + (this.#size - slots.length + 0.5) / (slots.length + 0.5));
      for (let i = 0; i < slots.length; i++) {
        const slot = slots[i] ?? 0;
        const count = counts[i] ?? 0;
        const norm = K1 * (1 - B + (B * (this.#lengths[slot] ?? 0)) / averageLength);
        if (scores[slot] === 0) touched.push(slot);
        scores[slot] = (scores[slot] ?? 0) + (weight * idf * count * (K1 + 1)) / (count + norm);
      }
    }
    for (const slot of touched) {
      const score = scores[slot] ?? 0;
      scores[slot] = 0;
      visit(slot, score);
    }
  }
}
