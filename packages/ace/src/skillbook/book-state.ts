import { decisionSize, type RecordSize, skillSize } from "./disk-size.ts";
import { formatId, idNumber } from "./ids.ts";
import { pairKey, pairOf, type SimilarityDecision } from "./similarity-decision.ts";
import { type Skill, SKILLBOOK_LIMITS } from "./skill.ts";
import { TwinIndex } from "./twin-index.ts";

/** Top-level keys, and room for the record of a section that is counted with each of its skills. */
const FILE_FRAME = 4_096;

/**
 * The content of a book with its invariants: ids are map keys, numbers are never used twice, sizes and counts fit the skills.
 * Every change goes through {@link put}, {@link remove} or {@link decide}; none of them can throw.
 */
export class BookState {
  readonly #skills = new Map<string, Skill>();
  readonly #decisions = new Map<string, SimilarityDecision>();
  /** Ids that a decision names, to leave most UPDATEs without a search. */
  readonly #decided = new Map<string, Set<string>>();
  #lastNumber = 0;
  #active = 0;
  #textBytes = 0;
  #diskBytes = FILE_FRAME;
  readonly #sizes = new Map<string, RecordSize>();
  /** Built at the first question, because a book that only answers never asks it. */
  #twins: TwinIndex | undefined;

  get skills(): ReadonlyMap<string, Skill> {
    return this.#skills;
  }

  get decisions(): ReadonlyMap<string, SimilarityDecision> {
    return this.#decisions;
  }

  /** The highest number that an id of this book has or had. */
  get lastNumber(): number {
    return this.#lastNumber;
  }

  get active(): number {
    return this.#active;
  }

  /** Bytes of all texts (UTF-8). */
  get textBytes(): number {
    return this.#textBytes;
  }

  /** Upper bound of the bytes of the file. */
  get diskBytes(): number {
    return this.#diskBytes;
  }

  /** Never gives a number twice, even after a purge or an undo: a remembered citation must not hit another skill. */
  nextId(section: string): string {
    let id: string;
    do {
      this.#lastNumber += 1;
      id = formatId(section, this.#lastNumber);
    } while (this.#skills.has(id));
    return id;
  }

  reserveNumber(number: number): void {
    if (number > this.#lastNumber) this.#lastNumber = number;
  }

  /** Whether a skill (new, or in place of the one with its id) fits the limits of a book. */
  fits(skill: Skill): boolean {
    const previous = this.#skills.get(skill.id);
    const old = this.#sizes.get(skill.id) ?? { text: 0, disk: 0 };
    const size = skillSize(skill);
    const text = size.text - old.text;
    const disk = size.disk - old.disk;
    // A change that does not grow the book always fits: a foreign file may lie above our (cautious) bound of its size.
    return (
      (previous !== undefined || this.#skills.size < SKILLBOOK_LIMITS.skills) &&
      (text <= 0 || this.#textBytes + text <= SKILLBOOK_LIMITS.textBytes) &&
      (disk <= 0 || this.#diskBytes + disk <= SKILLBOOK_LIMITS.fileBytes)
    );
  }

  put(skill: Skill): void {
    const frozen = Object.freeze(skill);
    const previous = this.#skills.get(frozen.id);
    this.#uncount(previous);
    this.#skills.set(frozen.id, frozen);
    this.#count(frozen);
    this.reserveNumber(idNumber(frozen.id));
    if (previous?.content === frozen.content && previous.status === frozen.status) return;
    if (previous) this.#twins?.remove(previous);
    this.#twins?.add(frozen);
    if (previous && previous.content !== frozen.content) this.forgetDecisions(frozen.id);
  }

  remove(id: string): void {
    const previous = this.#skills.get(id);
    if (!previous) return;
    this.#skills.delete(id);
    this.#uncount(previous);
    this.#sizes.delete(id);
    this.#twins?.remove(previous);
    this.forgetDecisions(id);
  }

  /** The active skill that says the same but for case, spacing and punctuation. */
  findDuplicate(content: string): Skill | undefined {
    this.#twins ??= new TwinIndex(this.#skills.values());
    return this.#twins.find(content);
  }

  decide(idA: string, idB: string, decision: SimilarityDecision): void {
    const key = pairKey(idA, idB);
    const previous = this.#decisions.get(key);
    if (previous) this.#diskBytes -= decisionSize(key, previous);
    this.#decisions.set(key, Object.freeze(decision));
    this.#diskBytes += decisionSize(key, decision);
    for (const id of [idA, idB]) {
      const keys = this.#decided.get(id);
      if (keys) keys.add(key);
      else this.#decided.set(id, new Set([key]));
    }
  }

  /** Ids that a decision names. */
  decidedIds(): ReadonlySet<string> {
    return new Set(this.#decided.keys());
  }

  decisionFits(key: string, decision: SimilarityDecision): boolean {
    return this.#diskBytes + decisionSize(key, decision) <= SKILLBOOK_LIMITS.fileBytes;
  }

  forgetDecisions(id: string): void {
    for (const key of this.#decided.get(id) ?? []) {
      const decision = this.#decisions.get(key);
      if (!decision) continue;
      this.#decisions.delete(key);
      this.#diskBytes -= decisionSize(key, decision);
      for (const partner of pairOf(key) ?? []) {
        if (partner !== id) this.#decided.get(partner)?.delete(key);
      }
    }
    this.#decided.delete(id);
  }

  #count(skill: Skill): void {
    const size = skillSize(skill);
    this.#sizes.set(skill.id, size);
    this.#textBytes += size.text;
    this.#diskBytes += size.disk;
    if (skill.status === "active") this.#active += 1;
  }

  #uncount(skill: Skill | undefined): void {
    const size = skill && this.#sizes.get(skill.id);
    if (!size) return;
    this.#textBytes -= size.text;
    this.#diskBytes -= size.disk;
    if (skill.status === "active") this.#active -= 1;
  }
}
