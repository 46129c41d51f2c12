import { errnoOf } from "@acumen/core";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isOddName, namesIn } from "../git/path-text.ts";
import { copyIndex } from "./copy-index.ts";
import { entryAt } from "./in-the-way.ts";
import type { PlanRepository } from "./plan-repository.ts";
import type { CheckedOut, UserRepository } from "./user-repository.ts";

/**
 * Paths of a checkout whose content, mode or staged state is not what its head says, without untracked ones. Looked at with a copy of
 * the index and with a configuration of ours: nothing of the checkout changes, and nothing of it runs.
 * @param scratch path of a file that is made and removed
 */
export async function dirtyFiles(
  user: UserRepository,
  repository: PlanRepository,
  scratch: string,
  checkout: CheckedOut = user,
): Promise<readonly string[]> {
  const head = await user.headIn(checkout);
  // As the user's own git looks at files.
  const settings = await user.fileSettings();
  const call = { workTree: checkout.path, indexFile: scratch, settings };
  try {
    const hasIndex = await copyUserIndex(repository, checkout, scratch);
    if (!hasIndex || head === undefined) return [];
    await lookAtAll(repository, call);
    await repository.run(["update-index", "-q", "--refresh", "--ignore-submodules"], {
      ...call,
      answers: [0, 1],
    });
    const differing = async (...options: string[]): Promise<readonly string[]> => {
      const args = ["diff-index", "-z", "--name-only", "--no-renames", ...options, head];
      return namesIn((await repository.run(args, call)).stdout);
    };
    return [...new Set([...(await differing()), ...(await differing("--cached"))])].toSorted();
  } finally {
    await rm(scratch, { force: true });
    await rm(`${scratch}.lock`, { force: true });
  }
}

/** @returns false: the checkout has no index */
export async function copyUserIndex(
  repository: PlanRepository,
  { gitDir }: CheckedOut,
  to: string,
): Promise<boolean> {
  try {
    await copyIndex(join(gitDir, "index"), to);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return false;
    throw error;
  }
  // One that is split has its larger part beside it.
  const shared = (await readdir(gitDir)).filter((name) => name.startsWith("sharedindex."));
  for (const name of shared) await copyIndex(join(gitDir, name), join(repository.gitDir, name));
  return true;
}

/** Files that git was told to take for unchanged are looked at all the same, if they are there. */
async function lookAtAll(
  repository: PlanRepository,
  call: { readonly workTree: string; readonly indexFile: string },
): Promise<void> {
  const listed = namesIn((await repository.run(["ls-files", "-v", "-z"], call)).stdout);
  const hidden = (tag: RegExp): readonly string[] =>
    listed.flatMap((line) => (tag.test(line) && !isOddName(line) ? [line.slice(2)] : []));
  const update = async (option: string, paths: readonly string[]): Promise<void> => {
    const there = paths.filter((path) => entryAt(join(call.workTree, path)) !== undefined);
    if (there.length === 0) return;
    const input = there.map((path) => `${path}\0`).join("");
    await repository.run(["update-index", option, "-z", "--stdin"], { ...call, input });
  };
  await update("--no-assume-unchanged", hidden(/^[a-z]/));
  await update("--no-skip-worktree", hidden(/^[Ss]/));
}
