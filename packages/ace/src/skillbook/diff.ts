import type { Skill } from "./skill.ts";
import type { SkillbookSnapshot } from "./snapshot.ts";
import type { SkillbookView } from "./view.ts";

export const DIFF_FIELDS = [
  "section",
  "content",
  "justification",
  "evidence",
  "helpful",
  "harmful",
  "neutral",
  "sources",
] as const;
export type DiffField = (typeof DIFF_FIELDS)[number];

export interface SkillChange {
  readonly before: Skill;
  readonly after: Skill;
  readonly fields: readonly DiffField[];
}

/** Counts active skills: one that was softly removed is `removed`, one that came back is `added`. */
export interface SkillbookDiff {
  readonly added: readonly Skill[];
  readonly removed: readonly Skill[];
  readonly changed: readonly SkillChange[];
}

/** What happened between two states of a book (books or snapshots), each list in the order of its book. */
export function diffSkillbooks(
  before: SkillbookView | SkillbookSnapshot,
  after: SkillbookView | SkillbookSnapshot,
): SkillbookDiff {
  const old = activeById(before);
  const added: Skill[] = [];
  const changed: SkillChange[] = [];
  const current = activeById(after);
  for (const skill of current.values()) {
    const previous = old.get(skill.id);
    if (!previous) added.push(skill);
    else if (previous !== skill) {
      const fields = DIFF_FIELDS.filter((field) => differs(previous, skill, field));
      if (fields.length > 0) changed.push({ before: previous, after: skill, fields });
    }
  }
  const removed = [...old.values()].filter((skill) => !current.has(skill.id));
  return { added, removed, changed };
}

function activeById(book: SkillbookView | SkillbookSnapshot): Map<string, Skill> {
  const skills: Iterable<Skill> =
    typeof book.skills === "function" ? book.skills() : book.skills.values();
  const active = new Map<string, Skill>();
  for (const skill of skills) if (skill.status === "active") active.set(skill.id, skill);
  return active;
}

function differs(before: Skill, after: Skill, field: DiffField): boolean {
  if (before[field] === after[field]) return false;
  return field !== "sources" || JSON.stringify(before.sources) !== JSON.stringify(after.sources);
}
