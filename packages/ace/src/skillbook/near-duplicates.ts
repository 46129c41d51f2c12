import { aceError } from "../errors.ts";
import { normaliseText } from "../text/normalise.ts";
import { type Lesson, readLesson } from "./conclusion.ts";
import { compareSkillIds } from "./id-order.ts";
import { clusterGroups, createGroup, type LessonGroup } from "./lesson-group.ts";
import type { Skill } from "./skill.ts";

const DEFAULT_SIMILARITY = 0.85;

export interface NearDuplicateOptions {
  /** Least similarity, 0 to 1. Default 0.85; 0 means 0. */
  readonly threshold?: number;
  /** Compare only skills of one section. Default true. */
  readonly withinSection?: boolean;
  /** Pairs that somebody decided to keep apart; they never end up in one cluster. */
  readonly isKept?: (idA: string, idB: string) => boolean;
  /** Ids that occur in such decisions, if known: then `isKept` is asked for them only, and not for every pair of a cluster. */
  readonly keptIds?: ReadonlySet<string>;
}

/** Skills that say the same. */
export interface NearDuplicateCluster {
  /** The oldest. */
  readonly keepId: string;
  /** The others, oldest first. */
  readonly mergeIds: readonly string[];
  /** The fullest text among them (of equally full ones the oldest's). */
  readonly content: string;
  /** Lowest similarity of two members. */
  readonly similarity: number;
}

/**
 * Finds skills that say the same, without a model or network.
 *
 * The words of a lesson are read as in {@link readLesson}: fillers dropped, inflection, case and punctuation levelled. Two lessons are near
 * duplicates when the words of one are those of the other, in the same order, plus at most some everyday words in between;
 * their similarity is `words of the shorter / words of the longer` (their Jaccard similarity, since one contains the other).
 * Lessons that differ in their answer, a number, code, a quote, a negation or another deciding word, that exchange a word for
 * another, or of which one goes on where the other ends, are never paired, however long the rest they share.
 *
 * Search: lessons are split by conclusion and section, equal word lists fall together by hashing, and containment is looked up through the rarest
 * word of the shorter one, so no step visits all pairs. Clusters are complete (each two members are near-duplicates) and depend on
 * ids and texts alone, not on the order of `skills`.
 *
 * @throws ACE_OPTION_INVALID for a threshold outside 0..1
 */
export function findNearDuplicates(
  skills: readonly Skill[],
  options: NearDuplicateOptions = {},
): NearDuplicateCluster[] {
  const { threshold = DEFAULT_SIMILARITY, withinSection = true } = options;
  if (!(threshold >= 0 && threshold <= 1)) {
    throw aceError(
      "ACE_OPTION_INVALID",
      `threshold is ${String(threshold)}, but a similarity lies between 0 and 1. Leave it out for ${DEFAULT_SIMILARITY}.`,
    );
  }
  const ordered = skills
    .filter((skill) => skill.status === "active")
    .toSorted((a, b) => compareSkillIds(a.id, b.id));
  const clusters: NearDuplicateCluster[] = [];
  for (const groups of groupsByConclusion(ordered, withinSection)) {
    for (const cluster of clusterGroups(groups, threshold)) {
      clusters.push(...describe(cluster, options));
    }
  }
  return clusters.sort((a, b) => compareSkillIds(a.keepId, b.keepId));
}

/** Buckets of groups: only groups of one bucket can be near-duplicates of each other. */
function groupsByConclusion(skills: readonly Skill[], withinSection: boolean): LessonGroup[][] {
  const numbers = new Map<string, number>();
  const buckets = new Map<string, Map<string, LessonGroup>>();
  for (const skill of skills) {
    const lesson = lessonOf(skill);
    const section = withinSection ? normaliseText(skill.section) : "";
    const key = `${section}\0${lesson.conclusion}`;
    let bucket = buckets.get(key);
    if (bucket === undefined) buckets.set(key, (bucket = new Map<string, LessonGroup>()));
    const words = lesson.words.map((word) => {
      const number = numbers.get(word) ?? numbers.size;
      numbers.set(word, number);
      return number;
    });
    const text = words.join(" ");
    const group = bucket.get(text);
    if (group === undefined) bucket.set(text, createGroup(skill, lesson, words));
    else group.members.push(skill);
  }
  return [...buckets.values()].map((bucket) => [...bucket.values()]);
}

/** Skills are immutable, and reading them is most of the work. */
const lessons = new WeakMap<Skill, Lesson>();

function lessonOf(skill: Skill): Lesson {
  let lesson = lessons.get(skill);
  if (lesson === undefined) lessons.set(skill, (lesson = readLesson(skill.content)));
  return lesson;
}

/** A cluster as the caller needs it; kept pairs split it. */
function describe(
  groups: readonly LessonGroup[],
  options: NearDuplicateOptions,
): NearDuplicateCluster[] {
  const members = groups
    .flatMap((group) => group.members.map((skill) => ({ skill, words: group.words.length })))
    .toSorted((a, b) => compareSkillIds(a.skill.id, b.skill.id));
  return splitKept(members, options).flatMap((part) => {
    const [oldest, ...others] = part;
    if (oldest === undefined || others.length === 0) return [];
    let shortest = oldest;
    let fullest = oldest;
    for (const member of others) {
      if (member.words < shortest.words) shortest = member;
      if (member.words > fullest.words) fullest = member;
    }
    return {
      keepId: oldest.skill.id,
      mergeIds: others.map(({ skill }) => skill.id),
      content: fullest.skill.content,
      similarity: shortest.words / fullest.words,
    };
  });
}

interface Member {
  readonly skill: Skill;
  readonly words: number;
}

/** Each member, oldest first, goes to the first part that holds nobody it is to be kept apart from. */
function splitKept(members: readonly Member[], options: NearDuplicateOptions): Member[][] {
  const { isKept, keptIds } = options;
  if (isKept === undefined) return [[...members]];
  const parts: { members: Member[]; decided: string[] }[] = [];
  for (const member of members) {
    const { id } = member.skill;
    const decided = keptIds?.has(id) ?? true;
    let part = parts.find(
      (candidate) => !decided || candidate.decided.every((other) => !isKept(id, other)),
    );
    if (part === undefined) parts.push((part = { members: [], decided: [] }));
    part.members.push(member);
    if (decided) part.decided.push(id);
  }
  return parts.map((part) => part.members);
}
