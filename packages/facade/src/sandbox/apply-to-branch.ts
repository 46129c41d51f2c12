import { createId, throwIfAborted } from "@acumen/core";
import { join } from "node:path";
import { BusinessRuleViolation, ConflictError } from "../errors/domain-error.ts";
import type { Change, Conflict } from "./change.ts";
import { checkAtRest } from "./checkout-state.ts";
import { checkChanges } from "./check-changes.ts";
import { dirtyOverlap, handOver, moveTarget } from "./git-apply.ts";
import { mergeCommits } from "./merge.ts";
import { checkComplete } from "./plan-base.ts";
import type { PlanFolder } from "./plan-folder.ts";
import { PlanRepository } from "./plan-repository.ts";
import type { ProjectSide } from "./project-side.ts";
import { digestOf, readChanges, statsOf } from "./read-diff.ts";
import { notRun } from "./run-validations.ts";
import type { SandboxContext } from "./sandbox-context.ts";
import type { ApplyOptions, ApplyResult } from "./sandboxes.ts";
import type { UserRepository } from "./user-repository.ts";
import { failureOf, validateMerge } from "./validate-merge.ts";
import type { ValidationResult } from "./validation.ts";

/** How often the branch may move while a merge is made. */
const MAX_ROUNDS = 5;
const IN_THE_BRANCH = "The branch held the change before it was applied here.";

export function pinsOf(planId: string): string {
  return `refs/acumen/${planId}`;
}

/** Of its own for each base: one that a plan still knows is never moved. */
export function basePin(planId: string, commit: string): string {
  return `${pinsOf(planId)}/base-${commit}`;
}

export function goneBranch(ref: string | null): BusinessRuleViolation {
  return new BusinessRuleViolation(
    `The branch ${ref ?? "of the plan"} is gone, so there is nothing to merge into. Make it again, or cancel the plan.`,
  );
}

/** One apply: everything up to the last step is done outside the user's repository. */
export class BranchApply {
  readonly #context: SandboxContext;
  readonly #side: ProjectSide;
  readonly #options: ApplyOptions;
  readonly #user: UserRepository;
  readonly #folder: PlanFolder;
  readonly #repository: PlanRepository;
  readonly #ref: string;

  constructor(
    context: SandboxContext,
    side: ProjectSide,
    options: ApplyOptions,
    place: { readonly user: UserRepository; readonly folder: PlanFolder },
  ) {
    this.#context = context;
    this.#side = side;
    this.#options = options;
    this.#user = place.user;
    this.#folder = place.folder;
    this.#repository = new PlanRepository(context.git, place.folder.gitDir);
    this.#ref = options.base.target_ref ?? "";
  }

  async run(): Promise<ApplyResult> {
    const attempt = await checkedAttempt(this.#repository, this.#options);
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const result = await this.#round(attempt);
      if (result !== undefined) return result;
    }
    throw new ConflictError(
      `${this.#ref} moved each time that a merge was made. Apply again when it rests.`,
      { retryable: true },
    );
  }

  /** Undefined: the branch moved meanwhile. */
  async #round(attempt: Attempt): Promise<ApplyResult | undefined> {
    const { signal } = this.#options;
    const head = await this.#targetHead();
    if (await this.#repository.isAncestor(attempt.head, head))
      return this.#appliedBefore(attempt, head);
    await checkComplete(this.#user, this.#repository, head);
    const { tree, conflicts } = await mergeCommits(this.#repository, head, attempt.head, signal);
    if (conflicts.length > 0) {
      return constrained(conflicts, [], "The change and the branch touch the same places.");
    }
    const commit = await this.#repository.commit({
      tree,
      parents: [head, attempt.head],
      message: this.#options.message,
      date: this.#context.clock.now(),
      identity: await this.#user.identity(),
    });
    const blocked = await this.#overlap(head, commit);
    if (blocked !== undefined) return blocked;
    const { validations, failure } = await this.#validate(commit);
    if (failure !== undefined) return constrained([], validations, failure);
    throwIfAborted(signal);
    this.#context.faults?.("merged");
    await this.#options.moving({ commit, target_ref: this.#ref, target_head: head });
    this.#context.faults?.("announced");
    // From here on nothing stops it half way.
    if (!(await this.#move(head, commit))) return undefined;
    return {
      outcome: "applied",
      commit,
      validations: this.#options.validations.length === 0 ? "none" : validations,
      stats: statsOf(await readChanges(this.#repository, { base: head, head: commit })),
    };
  }

  async #targetHead(): Promise<string> {
    const head = await this.#user.headOf(this.#ref);
    if (head === undefined) throw goneBranch(this.#options.base.target_ref);
    const expected = this.#options.expectedTargetHead;
    if (expected === null || expected === head) return head;
    throw new ConflictError(
      `${this.#ref} is at ${head} and not at ${expected}, which was expected. Look at the diff again.`,
      { details: { expected, actual: head } },
    );
  }

  async #move(head: string, commit: string): Promise<boolean> {
    const { planId } = this.#options;
    const ref = `${pinsOf(planId)}/merge`;
    await handOver(this.#repository, this.#user, { commit, head, ref });
    this.#context.faults?.("handed_over");
    const reason = `acumen: apply plan ${planId}`;
    const isMoved = await moveTarget(this.#user, this.#repository, {
      ref: this.#ref,
      head,
      commit,
      reason,
    });
    this.#context.faults?.("moved");
    return isMoved;
  }

  async #overlap(head: string, commit: string): Promise<ApplyResult | undefined> {
    const checkout = await this.#user.checkoutOf(this.#ref);
    await checkAtRest(this.#user, { ref: this.#ref, checkout }, this.#options.signal);
    if (checkout === undefined) return undefined;
    const scratch = join(this.#folder.path, `${createId()}.index`);
    const merge = { head, commit, scratch };
    const dirty = await dirtyOverlap(this.#repository, this.#user, checkout, merge);
    if (dirty.length === 0) return undefined;
    const reason = `${checkout.path} has uncommitted changes in files that the plan changes, or something else in their way. Commit it or put it away, and apply again.`;
    return constrained(dirty, [], reason);
  }

  async #validate(
    commit: string,
  ): Promise<{ readonly validations: readonly ValidationResult[]; readonly failure?: string }> {
    const merge = { repository: this.#repository, folder: this.#folder, commit };
    const validations = await validateMerge(this.#context, this.#side, this.#options, merge);
    const failure = failureOf(validations);
    return { validations, ...(failure !== undefined && { failure }) };
  }

  /** Somebody merged it, or it was merged by an apply whose end nobody saw. */
  async #appliedBefore(attempt: Attempt, head: string): Promise<ApplyResult> {
    const args = ["rev-list", "--ancestry-path", "--merges", "--first-parent", "--reverse"];
    const merges = await this.#repository.text([...args, `${attempt.head}..${head}`]);
    const [commit = head] = merges.split("\n").filter((line) => line !== "");
    const skipped = this.#options.validations.map((spec) => notRun(spec, IN_THE_BRANCH));
    const validations = skipped.length === 0 ? "none" : skipped;
    return { outcome: "applied", commit, validations, stats: statsOf(attempt.changes) };
  }
}

export interface Attempt {
  readonly head: string;
  readonly changes: readonly Change[];
}

/**
 * What is to be applied, if it is what was reviewed.
 * @throws ConflictError for another digest; BusinessRuleViolation for what is never applied
 */
export async function checkedAttempt(
  repository: PlanRepository,
  { base, sandbox, digest, signal }: ApplyOptions,
): Promise<Attempt> {
  const head = await repository.text([
    "rev-parse",
    "--verify",
    `refs/heads/${sandbox.branch}^{commit}`,
  ]);
  const actual = digestOf(base.commit, await repository.treeOf(head));
  if (actual !== digest) {
    throw new ConflictError(
      `The change has the digest ${actual} and not ${digest}, which was expected. Look at the diff again.`,
      { details: { expected: digest, actual } },
    );
  }
  const changes = await readChanges(repository, { base: base.commit, head }, signal);
  checkChanges(changes);
  return { head, changes };
}

export function constrained(
  conflicts: readonly Conflict[],
  validations: readonly ValidationResult[],
  reason: string,
): ApplyResult {
  return { outcome: "constrained", conflicts, validations, reason };
}
