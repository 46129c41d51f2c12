import type { Skillbook } from "@acumen/ace";
import { placeOf } from "../skills/shown-id.ts";
import { type CountedRating, PROPOSAL_LIMITS, type ProposalFile } from "./proposal.ts";
import type { SkillCount } from "./skill-counts.ts";

/** `counted_before`: this turn gave it already; `gone`: the skill is not in its book; `untrusted`: its workspace is not trusted. */
export interface UncountedSkill extends SkillCount {
  readonly reason: "counted_before" | "gone" | "untrusted";
}

export interface Counting {
  readonly counted: readonly SkillCount[];
  readonly uncounted: readonly UncountedSkill[];
  /** What the other rating of this turn had counted: counters only go up, so that it stays. */
  readonly kept: readonly SkillCount[];
}

interface CountedTurn extends Pick<CountedRating, "turn_id" | "rating" | "book"> {
  /** ISO 8601, UTC. */
  readonly at: string;
}

/**
 * Raises the counters of a book, once for each rating of a turn, whoever gives it again and however often; what the other rating of the
 * turn has counted is not counted again either. Only while the locks of both are held.
 * @returns the file of proposals that remembers it, to be written before the book
 */
export function countOnce(
  skillbook: Skillbook,
  file: ProposalFile,
  { turn_id: turnId, rating, book, at }: CountedTurn,
  counts: readonly SkillCount[],
): Counting & { readonly file: ProposalFile } {
  const earlier = file.counted.filter((each) => each.turn_id === turnId && each.book === book);
  const again = earlier.some((each) => each.rating === rating);
  const kept = earlier
    .filter((each) => each.rating !== rating)
    .flatMap((each) => each.counts.map(({ skill_id: skillId, tag }) => ({ skillId, tag })));
  const isKept = (count: SkillCount): boolean =>
    kept.some(({ skillId, tag }) => skillId === count.skillId && tag === count.tag);
  const fresh = again ? [] : counts.filter((count) => !isKept(count));
  const operations = fresh.map(({ skillId, tag }) => ({
    type: "TAG",
    skillId: placeOf(skillId).id,
    tag,
  }));
  const { applied } = skillbook.apply(operations);
  const counted = applied.flatMap(({ index }) => fresh[index] ?? []);
  const uncounted = counts
    .filter((count) => !counted.includes(count))
    .map((count) => {
      const reason = fresh.includes(count) ? ("gone" as const) : ("counted_before" as const);
      return { ...count, reason };
    });
  if (counted.length === 0) return { file, counted, uncounted, kept };
  const entry: CountedRating = {
    turn_id: turnId,
    rating,
    book,
    counts: counted.map(({ skillId, tag }) => ({ skill_id: skillId, tag })),
    at,
  };
  const all = [...file.counted, entry].slice(-PROPOSAL_LIMITS.counted);
  return { file: { ...file, counted: all }, counted, uncounted, kept };
}
