import { type Candidate, type Form, type Group, GROUPS } from "./candidate.ts";
import { shareBudget } from "./share-budget.ts";

export interface Packed {
  readonly candidate: Candidate;
  readonly form: Form;
}

interface Packing {
  readonly chosen: readonly Packed[];
  /** For which there was no room in any form. */
  readonly left: readonly Candidate[];
}

/** Fragments of one context. */
export const MAX_FRAGMENTS = 200;
/** A file may take so much of what files have, unless it is pinned: one must not push out all others. */
const MOST_OF_GROUP = 0.5;

/**
 * What fits. Pinned ones first and whole; then the best of each group within its share, in a lesser form before not at all; then
 * whatever is left makes lesser forms whole again. The same candidates give the same packing.
 * @param total tokens; the pinned ones must fit
 */
export function pack(candidates: readonly Candidate[], total: number): Packing {
  const chosen = new Map<Candidate, Form>();
  let room = { tokens: total, fragments: MAX_FRAGMENTS };
  const take = (candidate: Candidate, form: Form): void => {
    const before = chosen.get(candidate);
    chosen.set(candidate, form);
    room = {
      tokens: room.tokens - form.tokens + (before?.tokens ?? 0),
      fragments: room.fragments - form.parts.length + (before?.parts.length ?? 0),
    };
  };
  for (const candidate of candidates) {
    const [whole] = candidate.forms;
    if (candidate.pinned === true && whole !== undefined) take(candidate, whole);
  }
  const open = candidates.filter(({ pinned }) => pinned !== true);
  const ranked = new Map(GROUPS.map((group) => [group, rankedOf(open, group)] as const));
  const shares = shareBudget(room.tokens, wantsOf(ranked));
  let carried = 0;
  for (const [group, members] of ranked) {
    let left = shares[group] + carried;
    const most = Math.floor(left * MOST_OF_GROUP);
    for (const candidate of members) {
      const fits = ({ tokens, parts }: Form): boolean =>
        tokens <= left && parts.length <= room.fragments;
      const isModest = ({ tokens, detail }: Form): boolean =>
        detail !== "full" || group !== "files" || tokens <= most;
      const fitting = candidate.forms.filter(fits);
      const form = fitting.find(isModest) ?? fitting[0];
      if (form === undefined) continue;
      take(candidate, form);
      left -= form.tokens;
    }
    carried = left;
  }
  for (const candidate of [...ranked.values()].flat()) {
    const now = chosen.get(candidate);
    const better = candidate.forms.find(
      (form) =>
        form.tokens - (now?.tokens ?? 0) <= room.tokens &&
        form.parts.length - (now?.parts.length ?? 0) <= room.fragments,
    );
    if (better !== undefined && better !== now && isBetter(candidate, better, now)) {
      take(candidate, better);
    }
  }
  return {
    chosen: candidates.flatMap((candidate) => {
      const form = chosen.get(candidate);
      return form === undefined ? [] : [{ candidate, form }];
    }),
    left: candidates.filter((candidate) => !chosen.has(candidate)),
  };
}

function rankedOf(candidates: readonly Candidate[], group: Group): readonly Candidate[] {
  return candidates
    .filter((candidate) => candidate.group === group)
    .map((candidate) => ({ candidate, rank: candidate.score * thrift(candidate) }))
    .toSorted((a, b) => b.rank - a.rank || compare(a.candidate.uri, b.candidate.uri))
    .map(({ candidate }) => candidate);
}

/** Of two that say as much, the shorter one first; gently, so that a long file that matters is not last. */
function thrift({ forms: [whole] }: Candidate): number {
  return 1 / Math.log(Math.E + (whole?.tokens ?? 0) / 1_000);
}

function wantsOf(
  ranked: ReadonlyMap<Group, readonly Candidate[]>,
): Readonly<Record<Group, number>> {
  const want = (group: Group): number =>
    (ranked.get(group) ?? []).reduce((sum, { forms: [whole] }) => sum + (whole?.tokens ?? 0), 0);
  return {
    guide: want("guide"),
    skills: want("skills"),
    history: want("history"),
    files: want("files"),
  };
}

function isBetter({ forms }: Candidate, form: Form, than: Form | undefined): boolean {
  return than === undefined || forms.indexOf(form) < forms.indexOf(than);
}

export function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
