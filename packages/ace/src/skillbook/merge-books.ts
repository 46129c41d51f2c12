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
  /** Skills that both sides had given one id, or one skill that had two: what is called otherwise in the result. */
  readonly renamed: readonly { readonly side: Side; readonly from: string; readonly to: string }[];
  /** Skills whose content both sides had changed, and whose version stayed (the newer one). */
  readonly conflicts: readonly { readonly id: string; readonly kept: Side }[];
  /** Lessons that both sides had learned by themselves: `id` is inactive now, its counters and sources went to `into`. */
  readonly collapsed: readonly { readonly id: string; readonly into: string }[];
}

/**
 * Brings together two books that grew from a common one, for writers that share a file. `ours` is the book in hand, `theirs` the
 * published one (on disk), `base` what both last had in common. No skill of either side is lost, except that removed skills purged on
 * one side, and skills unchanged since `base` that ours no longer has (a purge, an undo, another book loaded), stay away.
 *
 * A skill is the same on both sides when its id is and it descends from one in `base` or has the same content. A published id never
 * changes: where both sides gave one id to different skills, the one that is not in `base` on our side gets a new id (else theirs),
 * so that any number of writers come to agree.
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
  const { skills: merged, decisions, lastNumber } = state;
  skillbook.restore({ skills: merged, decisions, lastNumber, revision: ours.revision });
  return { skillbook, report };
}

class BookMerge {
  readonly #base: ReadonlyMap<string, Skill>;
  readonly #ours: BookContent;
  readonly #theirs: BookContent;
  readonly #state = new BookState();
  /** Their skill of each of ours, and the other way round. */
  readonly #matches = new Map<Skill, Skill>();
  readonly #matched = new Set<Skill>();
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
    this.#match();
    for (const skill of this.#ours.skills.values()) this.#putOurs(skill);
    for (const skill of this.#theirs.skills.values()) this.#putTheirs(skill);
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

  /** By id first; then, for what an earlier merge had to rename, by birth and content. */
  #match(): void {
    for (const theirs of this.#theirs.skills.values()) {
      const ours = this.#ours.skills.get(theirs.id);
      if (ours && this.#isSame(ours, theirs)) this.#pair(ours, theirs);
    }
    const births = new Map<string, Skill>();
    for (const ours of this.#ours.skills.values()) {
      if (!this.#matches.has(ours)) births.set(birthOf(ours), ours);
    }
    for (const theirs of this.#theirs.skills.values()) {
      const ours = this.#matched.has(theirs) ? undefined : births.get(birthOf(theirs));
      if (ours && !this.#matches.has(ours)) this.#pair(ours, theirs);
    }
  }

  #pair(ours: Skill, theirs: Skill): void {
    this.#matches.set(ours, theirs);
    this.#matched.add(theirs);
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

  #putOurs(ours: Skill): void {
    const theirs = this.#matches.get(ours);
    const base = this.#ancestor(ours);
    if (!theirs) {
      const purgedByThem = base !== undefined && ours.status === "invalid";
      if (!purgedByThem) this.#putAs(ours, this.#oursName(ours, ours.id), ours.id, "ours");
      return;
    }
    const { skill, conflict } = mergeVersions(base, ours, theirs);
    const id = this.#oursName(ours, theirs.id);
    this.#putAs(skill, id, ours.id, "ours");
    this.#names.theirs.set(theirs.id, id);
    if (conflict) this.#conflicts.push({ id, kept: conflict });
  }

  /** A name of ours holds when it was published; else the one theirs has published, unless that means another skill. */
  #oursName(ours: Skill, published: string): string {
    if (this.#ancestor(ours)) return ours.id;
    const theirs = this.#theirs.skills.get(published);
    const free = theirs === undefined || this.#matches.get(ours) === theirs;
    const takenByOurs = published !== ours.id && this.#base.has(published);
    const usable = free && !takenByOurs && !this.#state.skills.has(published);
    return usable ? published : this.#state.nextId(ours.section);
  }

  #putTheirs(theirs: Skill): void {
    if (this.#matched.has(theirs)) return;
    const base = this.#ancestor(theirs);
    const unchanged = base !== undefined && !textsDiffer(base, theirs);
    const goneOnPurpose = base !== undefined && (unchanged || theirs.status === "invalid");
    if (goneOnPurpose && !this.#ours.skills.has(theirs.id)) return;
    const free = !this.#state.skills.has(theirs.id);
    const id = free ? theirs.id : this.#state.nextId(theirs.section);
    const twin = theirs.status === "active" ? this.#state.findDuplicate(theirs.content) : undefined;
    if (!twin) {
      this.#putAs(theirs, id, theirs.id, "theirs");
      this.#added.push(id);
      return;
    }
    // Kept as a removed skill, so that its writer sees at its next merge what became of it.
    this.#putAs({ ...theirs, status: "invalid" }, id, theirs.id, "theirs");
    this.#state.put(withCounts(twin, theirs));
    this.#collapsed.push({ id, into: twin.id });
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

function birthOf(skill: Skill): string {
  return `${skill.createdAt}\n${skill.content}`;
}

function withCounts(twin: Skill, more: Skill): Skill {
  const counted: { -readonly [Key in keyof Skill]: Skill[Key] } = {
    ...twin,
    sources: uniteSources(twin.sources, more.sources),
  };
  for (const tag of SKILL_TAGS) counted[tag] = addCounts(twin[tag], more[tag]);
  return counted;
}
