import { addCounts } from "./merge-skills.ts";
import { SKILL_TAGS, type Skill, type SkillStatus, type SkillTag } from "./skill.ts";
import { uniteSources } from "./source-record.ts";
import { timeOf } from "./timestamp.ts";

export type Side = "ours" | "theirs";

export interface MergedVersions {
  readonly skill: Skill;
  /** Set when both sides changed the content: the side whose content stays. */
  readonly conflict: Side | undefined;
}

/**
 * One skill out of two versions of it: a text or status that only one side changed is taken from there, of two changes the newer
 * stays; counters add the increments of both sides; sources are united. Without a common version the newer texts win, no removal
 * counts, and counters are the larger ones (copies of one record) or the sum (records of their own).
 */
export function mergeVersions(base: Skill | undefined, ours: Skill, theirs: Skill): MergedVersions {
  const winner = textWinner(base, ours, theirs);
  const texts = winner === "ours" ? ours : theirs;
  const contested =
    ours.content !== theirs.content &&
    base?.content !== ours.content &&
    base?.content !== theirs.content;
  const older = timeOf(theirs.createdAt) < timeOf(ours.createdAt) ? theirs : ours;
  const skill: Skill = {
    ...texts,
    id: ours.id,
    ...counters(base, ours, theirs),
    createdAt: older.createdAt,
    updatedAt: newer(ours, theirs) === "ours" ? ours.updatedAt : theirs.updatedAt,
    status: mergeStatus(base, ours, theirs),
    sources: uniteSources(ours.sources, theirs.sources),
  };
  return { skill, conflict: contested ? winner : undefined };
}

/** Whether a version says something else than the one both sides started from. */
export function textsDiffer(a: Skill, b: Skill): boolean {
  return (
    a.content !== b.content || a.justification !== b.justification || a.evidence !== b.evidence
  );
}

function textWinner(base: Skill | undefined, ours: Skill, theirs: Skill): Side {
  if (!textsDiffer(ours, theirs)) return "theirs";
  const side = base === undefined ? undefined : onlyOneWithNewContent(base, ours, theirs);
  if (side !== undefined) return side;
  if (base && !textsDiffer(base, theirs)) return "ours";
  if (base && !textsDiffer(base, ours)) return "theirs";
  return newer(ours, theirs);
}

/** A new content is not given up for a new evidence or justification of the old one. */
function onlyOneWithNewContent(base: Skill, ours: Skill, theirs: Skill): Side | undefined {
  const isNew = (skill: Skill): boolean => skill.content !== base.content;
  if (isNew(ours) === isNew(theirs)) return undefined;
  return isNew(ours) ? "ours" : "theirs";
}

/** Equal times go to theirs, which is the published side: so the writers of a file come to agree. */
function newer(ours: Skill, theirs: Skill): Side {
  return timeOf(theirs.updatedAt) >= timeOf(ours.updatedAt) ? "theirs" : "ours";
}

function counters(base: Skill | undefined, ours: Skill, theirs: Skill): Record<SkillTag, number> {
  const merged = { helpful: 0, harmful: 0, neutral: 0 };
  const copies = ours.createdAt === theirs.createdAt;
  for (const tag of SKILL_TAGS) {
    const larger = Math.max(ours[tag], theirs[tag]);
    if (base) merged[tag] = Math.max(larger, addCounts(ours[tag] - base[tag], theirs[tag]));
    else merged[tag] = copies ? larger : addCounts(ours[tag], theirs[tag]);
  }
  return merged;
}

/** A removal since the common version counts, unless the other side has worked on the text meanwhile. */
function mergeStatus(base: Skill | undefined, ours: Skill, theirs: Skill): SkillStatus {
  if (ours.status === theirs.status) return ours.status;
  const active = ours.status === "active" ? ours : theirs;
  if (!base || base.status === "invalid") return "active";
  return textsDiffer(base, active) ? "active" : "invalid";
}
