import type { BookState } from "./book-state.ts";
import { mergeSkills } from "./merge-skills.ts";
import { findNearDuplicates, type NearDuplicateOptions } from "./near-duplicates.ts";
import { pairKey } from "./similarity-decision.ts";

export type ConsolidationOptions = Pick<NearDuplicateOptions, "threshold" | "withinSection">;

/** Skills that became one. */
export interface MergedCluster {
  readonly keptId: string;
  /** Removed ones now. */
  readonly mergedIds: readonly string[];
  /** Lowest similarity of two members, 0 to 1. */
  readonly similarity: number;
}

export interface ConsolidationReport {
  readonly clusters: readonly MergedCluster[];
  /** Skills that are removed ones now. */
  readonly merged: number;
  readonly revision: number;
}

/** Merges what {@link findNearDuplicates} finds; pairs with a KEEP decision stay apart. */
export function consolidate(
  state: BookState,
  options: ConsolidationOptions,
  now: string,
): readonly MergedCluster[] {
  const found = findNearDuplicates([...state.skills.values()], {
    ...options,
    isKept: (idA, idB) => state.decisions.has(pairKey(idA, idB)),
    keptIds: state.decidedIds(),
  });
  const clusters: MergedCluster[] = [];
  for (const { keepId, mergeIds, content, similarity } of found) {
    const { keptId, applied } = mergeSkills(state, keepId, mergeIds, now, content);
    const mergedIds = applied.map(({ skillId }) => skillId);
    if (keptId !== undefined) clusters.push({ keptId, mergedIds, similarity });
  }
  return clusters;
}
