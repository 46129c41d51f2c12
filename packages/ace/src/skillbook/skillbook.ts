import { type Clock, systemClock } from "@acumen/core";
import { aceError } from "../errors.ts";
import { applyBatch, type ApplyOptions } from "./apply.ts";
import { BookState } from "./book-state.ts";
import { type LoadReport, readBook } from "./load.ts";
import type { ApplyReport } from "./operation.ts";
import { type SkillbookRecord, toBookRecord } from "./serialise.ts";
import type { Skill } from "./skill.ts";
import { type SkillbookSnapshot, stateOf, takeSnapshot } from "./snapshot.ts";
import { countStats, type SkillbookStats } from "./stats.ts";
import { timestamp } from "./timestamp.ts";
import type { ContextOptions, SkillbookView } from "./view.ts";

export interface SkillbookOptions {
  readonly clock?: Clock;
}

/** Lists that are asked for at every step; they are made once a revision. */
interface Cache {
  readonly revision: number;
  readonly active: readonly Skill[];
  readonly stats: SkillbookStats;
}

/**
 * The collection of skills. All changes are synchronous and atomic, so readers between two awaits see one state; values that were
 * handed out never change.
 */
export class Skillbook implements SkillbookView {
  readonly #clock: Clock;
  #state = new BookState();
  #revision = 0;
  #cache: Cache | undefined;

  constructor(options: SkillbookOptions = {}) {
    this.#clock = options.clock ?? systemClock;
  }

  /** Raised by every change, undo included; never falls. It counts changes in this process and is not saved. */
  get revision(): number {
    return this.#revision;
  }

  get size(): number {
    return this.#state.active;
  }

  get(id: string): Skill | undefined {
    return this.#state.skills.get(id);
  }

  skills(options: { readonly includeInvalid?: boolean } = {}): readonly Skill[] {
    return options.includeInvalid ? [...this.#state.skills.values()] : this.#cached().active;
  }

  stats(): SkillbookStats {
    return this.#cached().stats;
  }

  choose(_question: string, _options?: ContextOptions): readonly Skill[] {
    return this.skills();
  }

  asContext(question: string, options?: ContextOptions): string {
    return this.choose(question, options)
      .map((skill) => skill.content)
      .join("\n");
  }

  /**
   * Applies operations in order, in one step: bad ones are skipped with a reason, good ones apply together. Accepts
   * `Operation` objects and the original's snake_case records.
   */
  apply(operations: readonly unknown[], options: ApplyOptions = {}): ApplyReport {
    if (!Array.isArray(operations)) {
      throw aceError("ACE_OPTION_INVALID", "apply() takes a list of operations.");
    }
    const now = timestamp(this.#clock.now());
    const { applied, skipped, changed } = applyBatch(this.#state, operations, now, options);
    if (changed) this.#revision += 1;
    return { applied, skipped, revision: this.#revision };
  }

  /** Really deletes removed skills (all, or those named); active ones stay. Returns how many are gone. */
  purge(ids?: readonly string[]): number {
    const wanted = ids ? new Set(ids) : undefined;
    const doomed = this.skills({ includeInvalid: true }).filter(
      (skill) => skill.status === "invalid" && (wanted?.has(skill.id) ?? true),
    );
    for (const skill of doomed) this.#state.remove(skill.id);
    if (doomed.length > 0) this.#revision += 1;
    return doomed.length;
  }

  /** The whole book at this moment, for {@link restore}, a diff or a merge. */
  snapshot(): SkillbookSnapshot {
    return takeSnapshot(this.#state, this.#revision);
  }

  /** Goes back (or over) to a snapshot. Numbers of ids used since stay used, so that old citations can't hit new skills. */
  restore(snapshot: SkillbookSnapshot): void {
    const state = stateOf(snapshot);
    state.reserveNumber(this.#state.lastNumber);
    this.#state = state;
    this.#revision = Math.max(this.#revision, snapshot.revision) + 1;
  }

  /** An independent book with the same content and revision. */
  clone(): Skillbook {
    const copy = new Skillbook({ clock: this.#clock });
    copy.#state = stateOf(this.snapshot());
    copy.#revision = this.#revision;
    return copy;
  }

  /** The object that is saved as JSON: snake_case, keys in the documented order. */
  toRecord(): SkillbookRecord {
    return toBookRecord(this.#state);
  }

  /**
   * Reads the object of a file in our format or one of the original's.
   * @throws ACE_SKILLBOOK_INVALID, ACE_SKILLBOOK_NEWER, ACE_SKILLBOOK_TOO_LARGE
   */
  static fromRecord(
    value: unknown,
    options: SkillbookOptions = {},
  ): { skillbook: Skillbook; report: LoadReport } {
    const skillbook = new Skillbook(options);
    const { state, report } = readBook(value, timestamp(skillbook.#clock.now()));
    skillbook.#state = state;
    return { skillbook, report };
  }

  #cached(): Cache {
    if (this.#cache?.revision !== this.#revision) {
      const all = [...this.#state.skills.values()];
      this.#cache = {
        revision: this.#revision,
        active: Object.freeze(all.filter((skill) => skill.status === "active")),
        stats: countStats(all, this.#revision),
      };
    }
    return this.#cache;
  }
}
