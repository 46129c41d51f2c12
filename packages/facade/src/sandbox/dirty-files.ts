import { errnoOf } from "@acumen/core";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { namesIn } from "../git/path-text.ts";
import { copyIndex } from "./copy-index.ts";
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
  const call = { workTree: checkout.path, indexFile: scratch };
  try {
    const hasIndex = await copyIndex(join(checkout.gitDir, "index"), scratch).then(
      () => true,
      (error: unknown) => {
        if (errnoOf(error) === "ENOENT") return false;
        throw error;
      },
    );
    if (!hasIndex || head === undefined) return [];
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
