import { Bm25Index } from "../text/bm25-index.ts";
import { searchTerms } from "../text/words.ts";
import { compareSkillIds } from "./id-order.ts";
import type { Skill } from "./skill.ts";

export interface RankedSkill {
  readonly skill: Skill;
  /** BM25, above 0; comparable within one call only. */
  readonly score: number;
}

/** Scores of a whole list of skills. */
export interface SkillScores {
  /** The list that the index was last brought in line with. */
  readonly skills: readonly Skill[];
  /** BM25 of each of them, 0 without a common word. Valid until the index is asked again. */
  readonly values: Float64Array;
}

/** Terms of the question, and as many of its context, that are looked up, rarest first: more only repeat what the rare ones say. */
const QUERY_TERMS = 64;
/** Postings that one query may visit (some 20 ns each). Terms that every skill holds come last and tell nothing. */
const QUERY_POSTINGS = 50_000;
/** Background text is longer and less to the point than the question. */
const CONTEXT_WEIGHT = 0.5;

/**
 * Lexical index (Okapi BM25) over section and content of skills, taken as one text. It follows a book by object identity: skills are
 * immutable, so `sync` only touches those that are new, changed or gone.
 */
export class SkillIndex {
  #bm25 = new Bm25Index();
  #skills: readonly Skill[] = [];
  /** For each of them, its slot in the index, ... */
  #slots: number[] = [];
  /** ... and for each slot the position of its skill. */
  readonly #positions: number[] = [];
  #values = new Float64Array(0);
  #revision: number | undefined;

  /** Skills held. */
  get size(): number {
    return this.#skills.length;
  }

  /**
   * Makes the index hold exactly these skills. Nothing is compared when the revision is that of the last call.
   *
   * @param skills active skills, ids unique; the list is kept
   * @param revision of the book that they come from; leave out when it does not identify them
   */
  sync(skills: readonly Skill[], revision?: number): void {
    if (revision !== undefined && revision === this.#revision) return;
    this.#revision = undefined;
    const { slots, gone } = this.#carryOver(skills);
    // Taking a skill out costs more than putting one in, for it has to be found in the list of each of its terms.
    const rebuild = gone.length * 4 > this.size;
    if (rebuild) this.#bm25 = new Bm25Index();
    else for (const position of gone) this.#remove(position);
    this.#slots = skills.map((skill, position) => {
      const known = rebuild ? undefined : slots[position];
      const slot = known ?? this.#bm25.add(termsOf(skill));
      this.#positions[slot] = position;
      return slot;
    });
    this.#skills = skills;
    this.#values = new Float64Array(skills.length);
    this.#revision = revision;
  }

  /** The skills that share words with a query, best first; equal scores in id order. Context terms count half. */
  rank(query: string, limit: number, context = ""): RankedSkill[] {
    const { skills, values } = this.scores(query, context);
    const ranked: RankedSkill[] = [];
    skills.forEach((skill, position) => {
      const score = values[position] ?? 0;
      if (score > 0) ranked.push({ skill, score });
    });
    ranked.sort((a, b) => b.score - a.score || compareSkillIds(a.skill.id, b.skill.id));
    return ranked.slice(0, limit);
  }

  /**
   * BM25 of each skill against a query. Of long queries only the rarest terms are looked up: at most 64 of the query and 64 of the
   * context, and 50,000 postings in all, so that time stays bounded.
   */
  scores(query: string, context = ""): SkillScores {
    const values = this.#values.fill(0);
    this.#bm25.score(this.#queryTerms(query, context), (slot, score) => {
      values[this.#positions[slot] ?? 0] = score;
    });
    return { skills: this.#skills, values };
  }

  #queryTerms(query: string, context: string): Map<string, number> {
    const chosen = new Map<string, number>();
    let postings = 0;
    const take = (text: string, weight: number): void => {
      let taken = 0;
      for (const [term, frequency] of this.#knownTerms(text)) {
        if (chosen.has(term)) continue;
        if (taken === QUERY_TERMS || postings + frequency > QUERY_POSTINGS) return;
        chosen.set(term, weight);
        postings += frequency;
        taken++;
      }
    };
    take(query, 1);
    take(context, CONTEXT_WEIGHT);
    return chosen;
  }

  /** Terms that some skill holds, rarest first. */
  #knownTerms(text: string): [term: string, frequency: number][] {
    const known: [string, number][] = [];
    for (const term of new Set(searchTerms(text))) {
      const frequency = this.#bm25.frequency(term);
      if (frequency > 0) known.push([term, frequency]);
    }
    return known.sort((a, b) => a[1] - b[1] || (a[0] < b[0] ? -1 : 1));
  }

  /**
   * For each skill the slot that it has already, if its text is indexed; and the positions, in the old list, of what is indexed in vain.
   * Lists mostly differ by a few skills, so both are walked side by side, and only what does not line up is looked up by id.
   */
  #carryOver(skills: readonly Skill[]): { slots: (number | undefined)[]; gone: number[] } {
    const old = this.#skills;
    const slots: (number | undefined)[] = [];
    const left: number[] = [];
    const open: number[] = [];
    let at = 0;
    skills.forEach((skill, position) => {
      // A skill was taken out here.
      if (at < old.length && old[at] !== skill && old[at + 1] === skill) left.push(at++);
      if (old[at] === skill || (at < old.length && hasText(old[at], skill))) {
        slots[position] = this.#slots[at++];
      } else {
        slots[position] = undefined;
        open.push(position);
        if (old[at]?.id === skill.id) left.push(at++);
      }
    });
    while (at < old.length) left.push(at++);
    const byId = new Map(left.map((position) => [old[position]?.id, position]));
    for (const position of open) {
      const skill = skills[position];
      const from = byId.get(skill?.id);
      if (skill === undefined || from === undefined || !hasText(old[from], skill)) continue;
      slots[position] = this.#slots[from];
      byId.delete(skill.id);
    }
    return { slots, gone: [...byId.values()] };
  }

  #remove(position: number): void {
    const skill = this.#skills[position];
    const slot = this.#slots[position];
    if (skill !== undefined && slot !== undefined) this.#bm25.remove(slot, termsOf(skill));
  }
}

/** Counters and dates change far more often than the text, and are not indexed. */
function hasText(known: Skill | undefined, skill: Skill): boolean {
  return (
    known?.id === skill.id && known.content === skill.content && known.section === skill.section
  );
}

function termsOf(skill: Skill): string[] {
  return searchTerms(`${skill.section}\n${skill.content}`);
}
