import { type Clock, systemClock } from "@acumen/core";
import { aceError } from "../errors.ts";
import { applyBatch, type ApplyOptions } from "./apply.ts";
import { BookState } from "./book-state.ts";
import { chooseSkills } from "./choose.ts";
import { type ConsolidationOptions, type ConsolidationReport, consolidate } from "./consolidate.ts";
import { countStats } from "./count-stats.ts";
import { keepBoth } from "./keep-both.ts";
import { type LoadReport, readBook } from "./load.ts";
import { type MergeReport, mergeSkills } from "./merge-skills.ts";
import type { ApplyReport } from "./operation.ts";
import { type SkillbookRecord, toBookRecord } from "./serialise.ts";
import { renderSkills } from "./prompt-block.ts";
import { pairKey } from "./similarity-decision.ts";
import { SkillIndex } from "./skill-index.ts";
import type { Skill } from "./skill.ts";
import { type SkillbookSnapshot, stateOf, takeSnapshot } from "./snapshot.ts";
import type { SkillbookStats } from "./stats.ts";
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
  readonly #index = new SkillIndex();
  /** Brings the index up to date only when a choice really needs it: small books are printed whole. */
  readonly #scorer: Pick<SkillIndex, "scores"> = {
    scores: (question, context) => {
      this.#index.sync(this.skills(), this.#revision);
      return this.#index.scores(question, context);
    },
  };

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

  choose(question: string, options?: ContextOptions): readonly Skill[] {
    return chooseSkills(this.skills(), this.#scorer, question, options);
  }

  asContext(question: string, options?: ContextOptions): string {
    return renderSkills(this.choose(question, options));
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

  /**
   * Makes one skill of several: text of `keepId` (or `content`), id of the oldest, counters summed, sources united. The others become
   * removed skills. Unusable ids are skipped with a reason; nothing happens when fewer than two skills are left.
   */
  merge(keepId: string, mergeIds: readonly string[], content?: string): MergeReport {
    const now = timestamp(this.#clock.now());
    const result = mergeSkills(this.#state, keepId, mergeIds, now, content);
    if (result.keptId !== undefined) this.#revision += 1;
    return { ...result, revision: this.#revision };
  }

  /**
   * Merges skills that say the same in other words; lessons with different conclusions and pairs under a KEEP decision stay apart.
   * `threshold` is the least similarity (0 to 1, default 0.85), `withinSection` (default true) compares inside sections only.
   * @throws ACE_OPTION_INVALID for a threshold outside 0 to 1
   */
  mergeNearDuplicates(options: ConsolidationOptions = {}): ConsolidationReport {
    const clusters = consolidate(this.#state, options, timestamp(this.#clock.now()));
    if (clusters.length > 0) this.#revision += 1;
    const merged = clusters.reduce((sum, { mergedIds }) => sum + mergedIds.length, 0);
    return { clusters, merged, revision: this.#revision };
  }

  /**
   * Remembers that two alike skills both stay, until the content of either changes.
   * @throws ACE_OPTION_INVALID unless these are two skills of the book; ACE_SKILLBOOK_TOO_LARGE when there is no room for it.
   */
  keep(idA: string, idB: string, reasoning = ""): void {
    keepBoth(this.#state, [idA, idB], reasoning, timestamp(this.#clock.now()));
    this.#revision += 1;
  }

  isKept(idA: string, idB: string): boolean {
    return this.#state.decisions.has(pairKey(idA, idB));
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
