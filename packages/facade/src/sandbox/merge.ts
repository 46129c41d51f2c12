import { BusinessRuleViolation } from "../errors/domain-error.ts";
import { pathsText } from "../git/path-text.ts";
import { type MergeOutcome, parseMergeOutcome } from "../git/merge-outcome.ts";
import type { PlanRepository } from "./plan-repository.ts";

/** Merges two commits into a tree of ours. No index, work tree or ref takes part. */
export async function mergeCommits(
  repository: PlanRepository,
  ours: string,
  theirs: string,
  signal: AbortSignal,
): Promise<MergeOutcome> {
  const args = ["merge-tree", "--write-tree", "-z", "--messages", ours, theirs];
  const { exitCode, stdout, stderr } = await repository.run(args, {
    answers: [0, 1, 128],
    signal,
  });
  if (exitCode === 128) {
    throw new BusinessRuleViolation(
      `The branch cannot be merged with: ${stderr
        .replace(/\p{C}+/gu, " ")
        .trim()
        .slice(0, 300)}. Revert the plan, so that it begins from the branch as it is now.`,
    );
  }
  const outcome = parseMergeOutcome(pathsText(stdout), [ours, theirs]);
  return exitCode === 0 ? { ...outcome, conflicts: [] } : outcome;
}
