import { createId } from "@acumen/core";
import { readFile, readlink, rm, unlink } from "node:fs/promises";
import { join } from "node:path";
import { PlanError } from "../errors/domain-error.ts";
import { namesIn } from "../git/path-text.ts";
import { copyUserIndex, dirtyFiles } from "./dirty-files.ts";
import { entryAt } from "./in-the-way.ts";
import type { PlanRepository } from "./plan-repository.ts";
import { objectChanges, type ObjectChange, pathsBetween } from "./read-diff.ts";
import type { CheckedOut, UserRepository } from "./user-repository.ts";

interface Merge {
  readonly head: string;
  readonly commit: string;
}

/**
 * After a fast-forward that failed: takes back what git did of it before it failed, and nothing that somebody else did.
 * @throws PlanError when that cannot be done
 */
export async function undoMerge(
  user: UserRepository,
  repository: PlanRepository,
  checkout: CheckedOut,
  merge: Merge,
): Promise<void> {
  const { head, commit } = merge;
  if (await hasIndexOf(repository, checkout, merge)) {
    const args = ["read-tree", "-m", "-u", commit, head];
    const { exitCode } = await user.runIn(checkout, args);
    if (exitCode !== 0) throw halfMerged(checkout, merge);
    return;
  }
  const scratch = join(repository.gitDir, `${createId()}.index`);
  const dirty = new Set(await dirtyFiles(user, repository, scratch, checkout));
  const changes = await objectChanges(repository, head, commit);
  const restored: string[] = [];
  for (const change of changes) {
    const { path, oldObject } = change;
    const place = join(checkout.path, path);
    if (!(oldObject === null || dirty.has(path))) continue;
    if (!(await isWritten(repository, place, change))) continue;
    if (oldObject === null) await unlink(place);
    else restored.push(path);
  }
  if (restored.length === 0) return;
  const input = restored.map((path) => `${path}\0`).join("");
  const args = ["checkout-index", "--force", "--quiet", "-z", "--stdin"];
  const { exitCode } = await user.runIn(checkout, args, input);
  if (exitCode !== 0) throw halfMerged(checkout, merge);
}

/** Git writes an index as a whole: it is the old one, or that of the merge. */
async function hasIndexOf(
  repository: PlanRepository,
  checkout: CheckedOut,
  { head, commit }: Merge,
): Promise<boolean> {
  const indexFile = join(repository.gitDir, `${createId()}.index`);
  try {
    if (!(await copyUserIndex(repository, checkout, indexFile))) return false;
    const touched = new Set(await pathsBetween(repository, head, commit));
    const args = ["diff-index", "--cached", "-z", "--name-only", "--no-renames", commit];
    const { stdout } = await repository.run(args, { workTree: checkout.path, indexFile });
    return !namesIn(stdout).some((path) => touched.has(path));
  } finally {
    await rm(indexFile, { force: true });
  }
}

/** Whether what stands there is what the merge was writing, or the beginning of it. */
async function isWritten(
  repository: PlanRepository,
  place: string,
  { newObject, newMode }: ObjectChange,
): Promise<boolean> {
  const stats = entryAt(place);
  if (newObject === null || stats === undefined) return newObject === null && stats === undefined;
  const { stdout } = await repository.run(["cat-file", "blob", newObject]);
  if (stats.isSymbolicLink()) {
    return newMode === "120000" && stdout.equals(await readlink(place, "buffer"));
  }
  return stats.isFile() && unixLines(stdout).startsWith(unixLines(await readFile(place)));
}

/** The checkout may have other line ends. */
function unixLines(content: Buffer): string {
  return content.toString("latin1").replaceAll("\r\n", "\n");
}

function halfMerged({ path }: CheckedOut, { commit, head }: Merge): PlanError {
  return new PlanError(
    `${path} could not take the change, and what was written of it could not be taken back. Its branch was not moved; \`git read-tree -m -u ${commit} ${head}\` there takes it back.`,
  );
}
