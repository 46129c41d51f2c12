import { DECIDING, type Lesson } from "./conclusion.ts";
import type { Skill } from "./skill.ts";
import { WordMasks } from "./word-masks.ts";

/** Skills whose lessons are the same words in the same order, fillers and inflection aside. */
export interface LessonGroup {
  /** Oldest first. */
  readonly members: Skill[];
  /** Numbers of the words. */
  readonly words: readonly number[];
  /** For each word, whether it may be all that this lesson has over a shorter one. */
  readonly optional: readonly boolean[];
  /** For each word, whether it decides the conclusion. */
  readonly deciding: readonly boolean[];
}

/** Longer lessons that one is compared with word by word, and of those that contain it, that are remembered: the shortest first. */
const MOST_COMPARED = 256;
const MOST_FOUND = 32;

export function createGroup(skill: Skill, lesson: Lesson, words: readonly number[]): LessonGroup {
  return {
    members: [skill],
    words,
    optional: lesson.optional,
    deciding: lesson.words.map((word) => word.startsWith(DECIDING)),
  };
}

/**
 * Clusters groups of one conclusion so that of each two in a cluster the longer says what the shorter says, and their similarity (words of
 * the shorter / words of the longer) reaches the threshold. Nearest pairs come together first. Single groups are clusters too.
 *
 * @param groups ordered by their oldest member; the result depends on this order only among equal similarities
 */
export function clusterGroups(groups: readonly LessonGroup[], threshold: number): LessonGroup[][] {
  if (groups.length === 1) return [[...groups]];
  const sorted = groups.toSorted((a, b) => a.words.length - b.words.length);
  const homes = sorted.map((group) => [group]);
  const places = new Map(sorted.map((group, i) => [group, i]));
  for (const { shorter, longer } of containments(sorted, threshold)) {
    const a = homes[shorter] ?? [];
    const b = homes[longer] ?? [];
    if (a === b || !a.every((x) => b.every((y) => areNear(x, y, threshold)))) continue;
    // Both are short: a cluster has at most one group of each length.
    for (const group of b) {
      a.push(group);
      homes[places.get(group) ?? 0] = a;
    }
  }
  return [...new Set(homes)];
}

interface Containment {
  /** Positions in the list of groups. */
  readonly shorter: number;
  readonly longer: number;
  readonly similarity: number;
}

/** Pairs of which the longer says what the shorter says, nearest first. */
function containments(sorted: readonly LessonGroup[], threshold: number): Containment[] {
  const holders = new Map<number, number[]>();
  sorted.forEach((group, i) => {
    for (const word of new Set(group.words)) {
      const list = holders.get(word);
      if (list === undefined) holders.set(word, [i]);
      else list.push(i);
    }
  });
  const masks = new WordMasks(sorted, holders);
  const found = sorted.flatMap((group, shorter) =>
    longerThan(shorter, sorted, masks, rarestHolders(group, holders), threshold),
  );
  return found.sort(
    (a, b) => b.similarity - a.similarity || a.shorter - b.shorter || a.longer - b.longer,
  );
}

/** Every lesson that contains this one holds its rarest word, so only these come into question. */
function rarestHolders(
  group: LessonGroup,
  holders: ReadonlyMap<number, readonly number[]>,
): readonly number[] {
  let rarest: readonly number[] | undefined;
  for (const word of group.words) {
    const list = holders.get(word) ?? [];
    if (rarest === undefined || list.length < rarest.length) rarest = list;
  }
  return rarest ?? [];
}

function longerThan(
  shorter: number,
  sorted: readonly LessonGroup[],
  masks: WordMasks,
  candidates: readonly number[],
  threshold: number,
): Containment[] {
  const group = sorted[shorter];
  const found: Containment[] = [];
  if (group === undefined) return found;
  const length = group.words.length;
  let compared = 0;
  for (let i = firstAbove(candidates, shorter); i < candidates.length; i++) {
    const longer = candidates[i] ?? 0;
    if (!masks.mayContain(longer, shorter)) continue;
    const other = sorted[longer];
    if (other === undefined || length < threshold * other.words.length) break;
    if (other.words.length === length) continue;
    if (contains(other, group)) {
      found.push({ shorter, longer, similarity: length / other.words.length });
    }
    if (found.length === MOST_FOUND || ++compared === MOST_COMPARED) break;
  }
  return found;
}

/** Position of the first number above a bound in an ascending list. */
function firstAbove(ascending: readonly number[], bound: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? 0) > bound) high = middle;
    else low = middle + 1;
  }
  return low;
}

function areNear(a: LessonGroup, b: LessonGroup, threshold: number): boolean {
  const [shorter, longer] = a.words.length <= b.words.length ? [a, b] : [b, a];
  return shorter.words.length >= threshold * longer.words.length && contains(longer, shorter);
}

/**
 * Whether the longer lesson is the shorter one with optional words put in: not behind its last word, where the conclusion stands,
 * and not right behind a deciding word, whose meaning they would take over ("never deploy", "never forget to deploy").
 */
function contains(longer: LessonGroup, shorter: LessonGroup): boolean {
  const last = shorter.words.length - 1;
  if (shorter.words[last] !== longer.words[longer.words.length - 1]) return false;
  let spare = longer.words.length - shorter.words.length;
  let matched = 0;
  for (let i = 0; i < longer.words.length - 1; i++) {
    if (matched < last && longer.words[i] === shorter.words[matched]) matched++;
    else if (spare-- === 0) return false;
    else if (longer.optional[i] !== true || longer.deciding[i - 1] === true) return false;
  }
  return matched === last;
}
