import { Bm25Index } from "../text/bm25-index.ts";
import { searchTerms } from "../text/words.ts";
import { compareSkillIds } from "./id-order.ts";
import type { Skill } from "./skill.ts";

export interface RankedSkill {
  readonly skill: Skill;
  /** BM25, above 0; comparable within one call only. */
  readonly score: number;
}

/** Terms of the question, and as many of its context, that are looked up, rarest first: more only repeat what the rare ones say. */
const QUERY_TERMS = 64;
/** Postings that one query may visit (about 10 ns each). A term that every skill holds tells nothing. */
const QUERY_POSTINGS = 200_000;
/** Background text is longer and less to the point than the question. */
const CONTEXT_WEIGHT = 0.5;

interface Entry {
  readonly skill: Skill;
  readonly slot: number;
}

/**
 * Lexical index (Okapi BM25) over section and content of skills, taken as one text. It follows a book by object identity: skills are
 * immutable, so `sync` only touches those that are new, changed or gone.
 */
export class SkillIndex {
  #bm25 = new Bm25Index();
  readonly #entries = new Map<string, Entry>();
  readonly #ids: string[] = [];
  #revision: number | undefined;

  /** Skills held. */
  get size(): number {
    return this.#entries.size;
  }

  /**
   * Makes the index hold exactly these skills. Nothing is compared when the revision is that of the last call.
   *
   * @param skills active skills, ids unique
   * @param revision of the book that they come from; leave out when it does not identify them
   */
  sync(skills: readonly Skill[], revision?: number): void {
    if (revision !== undefined && revision === this.#revision) return;
    this.#revision = undefined;
    const gone = this.#goneOrChanged(skills);
    // Taking a skill out costs more than putting one in, for it has to be found in the list of each of its terms.
    if (gone.length * 4 > this.size) this.#clear();
    else for (const entry of gone) this.#remove(entry);
    for (const skill of skills) {
      const known = this.#entries.get(skill.id);
      if (known === undefined) this.#add(skill);
      else if (known.skill !== skill) this.#entries.set(skill.id, { skill, slot: known.slot });
    }
    this.#revision = revision;
  }

  /** The skills that share words with a query, best first; equal scores in id order. Context terms count half. */
  rank(query: string, limit: number, context = ""): RankedSkill[] {
    const ranked: RankedSkill[] = [];
    for (const [id, score] of this.scores(query, context)) {
      const entry = this.#entries.get(id);
      if (entry !== undefined) ranked.push({ skill: entry.skill, score });
    }
    ranked.sort((a, b) => b.score - a.score || compareSkillIds(a.skill.id, b.skill.id));
    return ranked.slice(0, limit);
  }

  /**
   * BM25 score by id for each skill that shares words with a query. Of long queries only the rarest terms are looked up: at most 64 of
   * the query and 64 of the context, and 200,000 postings in all, so that time stays bounded.
   */
  scores(query: string, context = ""): Map<string, number> {
    const scores = new Map<string, number>();
    this.#bm25.score(this.#queryTerms(query, context), (slot, score) => {
      scores.set(this.#ids[slot] ?? "", score);
    });
    return scores;
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

  #goneOrChanged(skills: readonly Skill[]): Entry[] {
    if (this.size === 0) return [];
    const current = new Map(skills.map((skill) => [skill.id, skill]));
    return [...this.#entries.values()].filter(({ skill }) => {
      const now = current.get(skill.id);
      // Counters and dates change far more often than the text, and are not indexed.
      return now?.content !== skill.content || now.section !== skill.section;
    });
  }

  #add(skill: Skill): void {
    const slot = this.#bm25.add(termsOf(skill));
    this.#ids[slot] = skill.id;
    this.#entries.set(skill.id, { skill, slot });
  }

  #remove({ skill, slot }: Entry): void {
    this.#bm25.remove(slot, termsOf(skill));
    this.#entries.delete(skill.id);
  }

  #clear(): void {
    this.#bm25 = new Bm25Index();
    this.#entries.clear();
  }
}

function termsOf(skill: Skill): string[] {
  return searchTerms(`${skill.section}\n${skill.content}`);
}
