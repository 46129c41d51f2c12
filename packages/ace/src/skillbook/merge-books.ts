import { BookState } from "./book-state.ts";
import { bookTooLarge } from "./load.ts";
import { addCounts } from "./merge-skills.ts";
import { mergeVersions, type Side, textsDiffer } from "./merge-versions.ts";
import type { BookContent } from "./serialise.ts";
import { pairOf } from "./similarity-decision.ts";
import { SKILL_TAGS, type Skill, SKILLBOOK_LIMITS } from "./skill.ts";
import { Skillbook, type SkillbookOptions } from "./skillbook.ts";
import type { SkillbookSnapshot } from "./snapshot.ts";
import { uniteSources } from "./source-record.ts";

export interface BookMergeReport {
  /** Ids, in the result, of skills that ours lacked. */
  readonly added: readonly string[];
  /** Ids that now mean another skill or none, and what their skill is called in the result. */
  readonly renamed: readonly { readonly side: Side; readonly from: string; readonly to: string }[];
  /** Skills whose content both sides had changed, and whose version stayed (the newer one). */
  readonly conflicts: readonly { readonly id: string; readonly kept: Side }[];
  /** Skills that only ours had and that repeat one of the result: `into` took over the counters and sources of `id`. */
  readonly collapsed: readonly { readonly id: string; readonly into: string }[];
}

/**
 * Brings together two books that grew from a common one, for writers that share a file. `ours` is the book in hand, `theirs` the
 * published one (on disk), `base` what both last had in common. No skill of either side is lost, except that removed skills purged on
 * one side, and skills unchanged since `base` that ours no longer has (a purge, an undo, another book loaded), stay away.
 *
 * A skill is the same on both sides when its id is and it descends from one in `base` or has the same content. A published skill keeps
 * its id: where both sides gave one id to different skills, ours gets a new one unless it is in `base`. A skill that only ours has and
 * that says the same as one of theirs (but for case, spacing and punctuation) becomes one with it. So any number of writers come to
 * agree, and after an exchange nothing changes any more.
 * @throws ACE_SKILLBOOK_TOO_LARGE when the result would exceed the limits of a book
 */
export function mergeSkillbooks(
  base: Skillbook | SkillbookSnapshot | undefined,
  ours: Skillbook,
  theirs: Skillbook,
  options: SkillbookOptions = {},
): { skillbook: Skillbook; report: BookMergeReport } {
  const start = base && "snapshot" in base ? base.snapshot() : base;
  const merge = new BookMerge(start, ours.snapshot(), theirs.snapshot());
  const { state, report } = merge.run();
  const { skills, textBytes } = SKILLBOOK_LIMITS;
  if (state.skills.size > skills) throw bookTooLarge(`${state.skills.size} skills`, `${skills}`);
  if (state.textBytes > textBytes) throw bookTooLarge(`${state.textBytes} bytes`, `${textBytes}`);
  const skillbook = new Skillbook(options);
  const { decisions, lastNumber } = state;
  const ordered = inPublishedOrder(state, theirs);
  skillbook.restore({ skills: ordered, decisions, lastNumber, revision: ours.revision });
  return { skillbook, report };
}

/** Theirs first, then what is new on our side: all writers come to the same order. */
function inPublishedOrder(state: BookState, theirs: Skillbook): ReadonlyMap<string, Skill> {
  const ordered = new Map<string, Skill>();
  for (const { id } of theirs.skills({ includeInvalid: true })) {
    const skill = state.skills.get(id);
    if (skill) ordered.set(id, skill);
  }
  for (const [id, skill] of state.skills) ordered.set(id, skill);
  return ordered;
}

class BookMerge {
  readonly #base: ReadonlyMap<string, Skill>;
  readonly #ours: BookContent;
  readonly #theirs: BookContent;
  readonly #state = new BookState();
  /** Our skill of each of theirs. */
  readonly #matches = new Map<Skill, Skill>();
  readonly #names = { ours: new Map<string, string>(), theirs: new Map<string, string>() };
  readonly #added: string[] = [];
  readonly #conflicts: { id: string; kept: Side }[] = [];
  readonly #collapsed: { id: string; into: string }[] = [];

  constructor(base: BookContent | undefined, ours: BookContent, theirs: BookContent) {
    this.#base = base?.skills ?? new Map<string, Skill>();
    this.#ours = ours;
    this.#theirs = theirs;
  }

  run(): { state: BookState; report: BookMergeReport } {
    this.#state.reserveNumber(Math.max(this.#ours.lastNumber, this.#theirs.lastNumber));
    const news: Skill[] = [];
    for (const ours of this.#ours.skills.values()) {
      const theirs = this.#theirs.skills.get(ours.id);
      if (theirs && this.#isSame(ours, theirs)) this.#putBoth(ours, theirs);
      else if (this.#ancestor(ours)) this.#putPublished(ours);
      else news.push(ours);
    }
    for (const theirs of this.#theirs.skills.values()) this.#putTheirs(theirs);
    for (const ours of news) this.#putNew(ours);
    this.#putDecisions(this.#ours, this.#names.ours);
    this.#putDecisions(this.#theirs, this.#names.theirs);
    return {
      state: this.#state,
      report: {
        added: this.#added,
        renamed: [...this.#renames("ours"), ...this.#renames("theirs")],
        conflicts: this.#conflicts,
        collapsed: this.#collapsed,
      },
    };
  }

  #isSame(ours: Skill, theirs: Skill): boolean {
    if (ours.content === theirs.content) return true;
    return this.#ancestor(ours) !== undefined && ours.createdAt === theirs.createdAt;
  }

  #ancestor(skill: Skill): Skill | undefined {
    const base = this.#base.get(skill.id);
    return base?.createdAt === skill.createdAt || base?.content === skill.content
      ? base
      : undefined;
  }

  #putBoth(ours: Skill, theirs: Skill): void {
    const { skill, conflict } = mergeVersions(this.#ancestor(ours), ours, theirs);
    this.#matches.set(theirs, ours);
    this.#putAs(skill, ours.id, ours.id, "ours");
    this.#names.theirs.set(theirs.id, ours.id);
    if (conflict) this.#conflicts.push({ id: ours.id, kept: conflict });
  }

  /** What they no longer have: a removed skill was purged, an active one they can only have lost. */
  #putPublished(ours: Skill): void {
    if (ours.status === "active" || this.#theirs.skills.has(ours.id)) {
      this.#putAs(ours, ours.id, ours.id, "ours");
    }
  }

  #putTheirs(theirs: Skill): void {
    if (this.#matches.has(theirs)) return;
    const base = this.#ancestor(theirs);
    const unchanged = base !== undefined && !textsDiffer(base, theirs);
    const goneOnPurpose = base !== undefined && (unchanged || theirs.status === "invalid");
    if (goneOnPurpose && !this.#ours.skills.has(theirs.id)) return;
    const taken = this.#state.skills.has(theirs.id);
    const id = taken ? this.#state.nextId(theirs.section) : theirs.id;
    this.#putAs(theirs, id, theirs.id, "theirs");
    this.#added.push(id);
  }

  #putNew(ours: Skill): void {
    const twin = ours.status === "active" ? this.#state.findDuplicate(ours.content) : undefined;
    if (twin) {
      this.#state.put(withCounts(twin, ours));
      this.#names.ours.set(ours.id, twin.id);
      this.#collapsed.push({ id: ours.id, into: twin.id });
      return;
    }
    const taken = this.#state.skills.has(ours.id);
    this.#putAs(ours, taken ? this.#state.nextId(ours.section) : ours.id, ours.id, "ours");
  }

  #putAs(skill: Skill, id: string, from: string, side: Side): void {
    this.#names[side].set(from, id);
    this.#state.put(skill.id === id ? skill : { ...skill, id });
  }

  /** A decision counts as long as both texts are those that were compared. */
  #putDecisions(book: BookContent, names: ReadonlyMap<string, string>): void {
    for (const [key, decision] of book.decisions) {
      const pair = pairOf(key)?.map((id) => {
        const now = this.#state.skills.get(names.get(id) ?? "");
        return now?.content === book.skills.get(id)?.content ? now?.id : undefined;
      });
      const [first, second] = pair ?? [];
      if (first !== undefined && second !== undefined && first !== second) {
        this.#state.decide(first, second, decision);
      }
    }
  }

  #renames(side: Side): { side: Side; from: string; to: string }[] {
    return Array.from(this.#names[side])
      .filter(([from, to]) => from !== to)
      .map(([from, to]) => ({ side, from, to }));
  }
}

function withCounts(twin: Skill, more: Skill): Skill {
  const counted: { -readonly [Key in keyof Skill]: Skill[Key] } = {
    ...twin,
    sources: uniteSources(twin.sources, more.sources),
  };
  for (const tag of SKILL_TAGS) counted[tag] = addCounts(twin[tag], more[tag]);
  return counted;
}
