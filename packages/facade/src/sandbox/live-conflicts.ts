import { join } from "node:path";
import type { Conflict } from "./change.ts";
import { shownName } from "../git/path-text.ts";
import { entryAt, inTheWay } from "./in-the-way.ts";
import { mergeCommits } from "./merge.ts";
import type { PlanRepository } from "./plan-repository.ts";
import { type ObjectChange, objectChanges } from "./read-diff.ts";
import type { Project } from "./sandboxes.ts";

interface LiveMerge {
  /** Of the merged files. */
  readonly tree: string;
  readonly conflicts: readonly Conflict[];
}

/** Only files that are as they were at the base are written: lines are not merged in a folder without history. */
export async function liveConflicts(
  repository: PlanRepository,
  project: Project,
  place: { readonly base: string; readonly live: string; readonly head: string },
  signal: AbortSignal,
): Promise<LiveMerge> {
  const { base, live, head } = place;
  const wanted = await objectChanges(repository, base, head, signal);
  const happened = new Map(
    (await objectChanges(repository, base, live, signal)).map((change) => [change.path, change]),
  );
  const compared = wanted.flatMap((change) =>
    conflictOf(project, change, happened.get(change.path)),
  );
  const conflicts = [...compared, ...obstaclesOf(project, wanted, compared)];
  if (conflicts.length > 0) return { tree: "", conflicts };
  return mergeCommits(repository, live, head, signal);
}

function conflictOf(
  { path: root }: Project,
  wanted: ObjectChange,
  happened: ObjectChange | undefined,
): readonly Conflict[] {
  const { path, oldObject: base, newObject: theirs, newMode } = wanted;
  if (happened === undefined) {
    // A file that the base does not have and that is ignored.
    const isHidden = base === null && isThere(join(root, path));
    return isHidden ? [{ path, kind: "dirty", base, ours: null, theirs }] : [];
  }
  const { newObject: ours } = happened;
  if (ours === theirs && happened.newMode === newMode) return [];
  const onlyMode = ours === theirs;
  const isDeletion = base !== null && (ours === null || theirs === null);
  const kind = onlyMode ? "mode" : isDeletion ? "delete_modify" : "content";
  return [{ path, kind, base, ours, theirs }];
}

function obstaclesOf(
  { path: root }: Project,
  wanted: readonly ObjectChange[],
  known: readonly Conflict[],
): readonly Conflict[] {
  const paths = (isGone: boolean): readonly string[] =>
    wanted.flatMap(({ path, newObject }) => ((newObject === null) === isGone ? [path] : []));
  const found = inTheWay(root, { written: paths(false), removed: paths(true) });
  const seen = new Set(known.map(({ path }) => path));
  return found.filter((path) => !seen.has(path)).map(dirtyConflict);
}

export function dirtyConflict(path: string): Conflict {
  return { path: shownName(path), kind: "dirty", base: null, ours: null, theirs: null };
}

/** A folder is looked at by itself: it may give way to a file. */
function isThere(path: string): boolean {
  return entryAt(path)?.isDirectory() === false;
}
