import type { BookState } from "./book-state.ts";
import { cleanText, isTooLong } from "./clean-text.ts";
import { compareSkillIds } from "./id-order.ts";
import type { AppliedOperation, ApplyReport, SkippedOperation, SkipReason } from "./operation.ts";
import { SKILL_TAGS, type Skill, type SkillTag } from "./skill.ts";
import { uniteSources } from "./source-record.ts";

/** An {@link ApplyReport} over the ids that were to be merged: `index` counts in that list, -1 is the skill to keep. */
export interface MergeReport extends ApplyReport {
  /** The skill that carries everything now; `undefined` when nothing was merged. */
  readonly keptId: string | undefined;
}

export type MergeResult = Omit<MergeReport, "revision">;

/**
 * Makes one skill of several: the text of `keepId` (or `content`), the id of the oldest, the sum of all counters, all sources (at most
 * 32). The others stay in the book as removed ones, with their own counters and sources.
 */
export function mergeSkills(
  state: BookState,
  keepId: string,
  mergeIds: readonly string[],
  now: string,
  content?: string,
): MergeResult {
  const skipped: SkippedOperation[] = [];
  const keep = usable(state, keepId, -1, skipped);
  const clean = content === undefined ? undefined : checkContent(content, skipped);
  // The first place of each id; a map, because a cluster can hold most of a book.
  const places = new Map(mergeIds.map((id, index) => [id, index] as const).toReversed());
  places.delete(keepId);
  const others = [...places]
    .toSorted(([, a], [, b]) => a - b)
    .flatMap(([id, index]) => usable(state, id, index, skipped) ?? []);
  if (!keep || clean === "" || others.length === 0)
    return { keptId: undefined, applied: [], skipped };
  const all = [keep, ...others].toSorted((a, b) => compareSkillIds(a.id, b.id));
  const [oldest = keep, ...rest] = all;
  const kept = unite(oldest, keep, all, clean ?? keep.content, now);
  if (!state.fits(kept)) {
    skipped.push(skip(-1, "book_full", "The united sources do not fit into the book."));
    return { keptId: undefined, applied: [], skipped };
  }
  // First the removals: the survivor may take over the text of one of them, and texts are looked up by active skill.
  for (const skill of rest) {
    state.forgetDecisions(skill.id);
    state.put({ ...skill, status: "invalid", updatedAt: now });
  }
  state.put(kept);
  return {
    keptId: kept.id,
    applied: rest.map(({ id }) => removal(id, places.get(id) ?? -1)),
    skipped,
  };
}

function unite(
  oldest: Skill,
  keep: Skill,
  all: readonly Skill[],
  content: string,
  now: string,
): Skill {
  const { embedding, ...rest } = oldest;
  const counters = Object.fromEntries(
    SKILL_TAGS.map((tag) => [tag, all.reduce((sum, skill) => addCounts(sum, skill[tag]), 0)]),
  ) as Record<SkillTag, number>;
  return {
    ...rest,
    content,
    justification: keep.justification ?? firstText(all, "justification"),
    evidence: keep.evidence ?? firstText(all, "evidence"),
    ...counters,
    updatedAt: now,
    sources: all.reduce<Skill["sources"]>(
      (sources, skill) => uniteSources(sources, skill.sources),
      [],
    ),
    ...(content === oldest.content && embedding !== undefined && { embedding }),
  };
}

export function addCounts(a: number, b: number): number {
  return Math.min(a + b, Number.MAX_SAFE_INTEGER);
}

function firstText(all: readonly Skill[], field: "justification" | "evidence"): string | null {
  return all.find((skill) => skill[field] !== null)?.[field] ?? null;
}

function usable(
  state: BookState,
  id: string,
  index: number,
  skipped: SkippedOperation[],
): Skill | undefined {
  const skill = state.skills.get(id);
  if (skill?.status === "active") return skill;
  skipped.push(
    skill
      ? skip(index, "inactive_skill", `Skill ${id} was removed.`)
      : skip(index, "unknown_skill", `There is no skill "${id.slice(0, 128)}".`),
  );
  return undefined;
}

/** Empty when the text cannot be a content; the reason is in `skipped` then. */
function checkContent(content: string, skipped: SkippedOperation[]): string {
  const clean = cleanText(content);
  if (clean === "") skipped.push(skip(-1, "empty_content", "The merged content is empty."));
  if (!isTooLong(clean)) return clean;
  skipped.push(skip(-1, "too_long", `The merged content has ${clean.length} characters.`));
  return "";
}

function skip(index: number, reason: SkipReason, message: string): SkippedOperation {
  return { index, reason, message };
}

function removal(skillId: string, index: number): AppliedOperation {
  return { index, type: "REMOVE", skillId };
}
