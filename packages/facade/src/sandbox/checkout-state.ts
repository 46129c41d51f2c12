import { throwIfAborted } from "@acumen/core";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { BusinessRuleViolation } from "../errors/domain-error.ts";
import type { CheckedOut, UserRepository } from "./user-repository.ts";

/** A git that is at work holds a lock for a moment; one that died, for good. */
const LOCK_MS = 2000;
const POLL_MS = 50;

/** What git leaves in a checkout while it is in the middle of something. */
const STATES: readonly (readonly [file: string, name: string])[] = [
  ["MERGE_HEAD", "a merge"],
  ["CHERRY_PICK_HEAD", "a cherry-pick"],
  ["REVERT_HEAD", "a revert"],
  ["rebase-merge", "a rebase"],
  ["rebase-apply/applying", "git am"],
  ["rebase-apply", "a rebase"],
];

/**
 * Whether a branch can be moved now. Locks are waited for, and never taken away.
 * @throws BusinessRuleViolation that names what keeps it
 */
export async function checkAtRest(
  user: UserRepository,
  target: { readonly ref: string; readonly checkout: CheckedOut | undefined },
  signal?: AbortSignal,
): Promise<void> {
  const { ref, checkout } = target;
  if (checkout === undefined && (await user.isRebased(ref))) {
    throw new BusinessRuleViolation(
      `${ref} is being rebased, so it takes no change. End or abort the rebase, and apply again.`,
    );
  }
  for (const [file, name] of checkout === undefined ? [] : STATES) {
    if (!(await isThere(join(checkout?.gitDir ?? "", file)))) continue;
    throw new BusinessRuleViolation(
      `${checkout?.path ?? ""} is in the middle of ${name}, so it takes no change. End or abort that, and apply again.`,
    );
  }
  const locks = [
    join(user.commonDir, `${ref}.lock`),
    ...(checkout === undefined
      ? []
      : ["index.lock", "HEAD.lock"].map((name) => join(checkout.gitDir, name))),
  ];
  for (const lock of locks) await untilReleased(lock, signal);
}

async function untilReleased(lock: string, signal: AbortSignal | undefined): Promise<void> {
  const deadline = performance.now() + LOCK_MS;
  while (await isThere(lock)) {
    throwIfAborted(signal);
    if (performance.now() > deadline) {
      throw new BusinessRuleViolation(
        `The lock ${lock} is there: another git is at work, or one died at it. Wait for that git, or remove the file when none runs, and apply again; nothing was changed.`,
      );
    }
    await delay(POLL_MS);
  }
}

function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
