import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { BusinessRuleViolation } from "../errors/domain-error.ts";
import type { Conflict } from "./change.ts";
import { checkAtRest } from "./checkout-state.ts";
import { dirtyFiles } from "./dirty-files.ts";
import { entryAt, inTheWay } from "./in-the-way.ts";
import { dirtyConflict } from "./live-conflicts.ts";
import type { PlanRepository } from "./plan-repository.ts";
import { pathsBetween } from "./read-diff.ts";
import { undoMerge } from "./undo-merge.ts";
import type { CheckedOut, UserRepository } from "./user-repository.ts";

/** Brings commits into the user's repository. Objects that no ref names change nothing there. */
export async function handOver(
  repository: PlanRepository,
  user: UserRepository,
  facts: { readonly commit: string; readonly head: string; readonly ref: string },
): Promise<void> {
  const { commit, head, ref } = facts;
  // As a pack, not by a fetch: addresses, remotes and protocols of the repository have no say in it.
  const path = join(repository.gitDir, `${commit}.handover`);
  const file = await open(path, "w+", 0o600);
  try {
    await repository.run(["pack-objects", "--revs", "--stdout", "--quiet"], {
      input: `${commit}\n^${head}\n`,
      outputFile: file.fd,
    });
    const input = await open(path, "r");
    try {
      await user.run(["unpack-objects", "-q", "--strict"], { inputFile: input.fd });
    } finally {
      await input.close();
    }
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
  await user.pin(ref, commit);
}

/** What stands in the way of a merge in the folder where the branch is checked out. */
export async function dirtyOverlap(
  repository: PlanRepository,
  user: UserRepository,
  checkout: CheckedOut,
  merge: { readonly head: string; readonly commit: string; readonly scratch: string },
): Promise<readonly Conflict[]> {
  const { head, commit, scratch } = merge;
  const touched = await pathsBetween(repository, head, commit);
  const dirty = new Set(await dirtyFiles(user, repository, scratch, checkout));
  const added = new Set(await pathsBetween(repository, head, commit, "A"));
  const removed = new Set(await pathsBetween(repository, head, commit, "D"));
  const isUncommitted = (path: string): boolean =>
    // The branch has no such file, so whatever stands there is not kept by git.
    dirty.has(path) ||
    (added.has(path) && entryAt(join(checkout.path, path))?.isDirectory() === false);
  const uncommitted = touched.filter(isUncommitted);
  const obstacles = inTheWay(checkout.path, {
    written: touched.filter((path) => !removed.has(path)),
    removed: [...removed],
  });
  return [...new Set([...uncommitted, ...obstacles])].map(dirtyConflict);
}

/**
 * Moves the branch: by compare-and-swap, or by a fast-forward where it is checked out, so that its files follow.
 * @returns false: the branch is not where it was
 * @throws BusinessRuleViolation when the checkout cannot take it
 */
export async function moveTarget(
  user: UserRepository,
  repository: PlanRepository,
  move: {
    readonly ref: string;
    readonly head: string;
    readonly commit: string;
    readonly reason: string;
  },
): Promise<boolean> {
  const { ref, head, commit, reason } = move;
  const checkout = await user.checkoutOf(ref);
  await checkAtRest(user, { ref, checkout });
  if (checkout === undefined) return user.swapRef(ref, commit, head, reason);
  const args = ["merge", "--ff-only", "--quiet", "--no-overwrite-ignore", "--no-stat", commit];
  const { exitCode, stderr } = await user.runIn(checkout, args);
  const now = await user.headOf(ref);
  if (exitCode === 0 && now === commit) return true;
  if (now !== head) return false;
  await undoMerge(user, repository, checkout, { head, commit });
  const said = stderr
    .replace(/\p{C}+/gu, " ")
    .trim()
    .slice(0, 400);
  throw new BusinessRuleViolation(
    `${checkout.path} cannot take the change as it is: ${said}. Mend that and apply again; nothing was changed.`,
  );
}
