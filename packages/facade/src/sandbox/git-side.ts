import { createId, Mutex } from "@acumen/core";
import { dirname, join } from "node:path";
import { basePin, BranchApply, goneBranch, pinsOf } from "./apply-to-branch.ts";
import { BaseReader } from "./base-reader.ts";
import { mergeCommits } from "./merge.ts";
import { baseWarnings, checkComplete, startOf } from "./plan-base.ts";
import { MoveRepair } from "./move-repair.ts";
import type { PlanFolder } from "./plan-folder.ts";
import { type Lender, PlanRepository } from "./plan-repository.ts";
import type { PlanAt, ProjectSide } from "./project-side.ts";
import type { SandboxContext } from "./sandbox-context.ts";
import type {
  ApplyOptions,
  ApplyResult,
  Mergeability,
  PlanBase,
  Project,
  SandboxRef,
} from "./sandboxes.ts";
import { UserRepository } from "./user-repository.ts";

/** Checkouts: a plan starts from a commit of their branch, and a merge brings its change back. */
export class GitSide implements ProjectSide {
  readonly #context: SandboxContext;
  /** By the folder that all work trees of a repository share. */
  readonly #locks = new Map<string, Mutex>();

  constructor(context: SandboxContext) {
    this.#context = context;
  }

  async base(project: Project, folder: PlanFolder): Promise<PlanBase> {
    const user = await this.#open(project);
    const { commit, ref } = await startOf(user);
    const repository = this.#repository(folder);
    await repository.init(await user.lender());
    await checkComplete(user, repository, commit);
    const scratch = join(folder.path, `${createId()}.index`);
    const warnings = await baseWarnings(user, repository, commit, scratch);
    await user.pin(basePin(folder.planId, commit), commit);
    return { commit, target_ref: ref, warnings };
  }

  async reader(project: Project, base: PlanBase): Promise<BaseReader> {
    return new BaseReader(await this.#open(project), base.commit);
  }

  async lender(project: Project): Promise<Lender> {
    return (await this.#open(project)).lender();
  }

  async hidden(project: Project): Promise<readonly string[]> {
    const { commonDir } = await this.#open(project);
    // Of a linked checkout the main one is the user's too.
    const root = commonDir.endsWith("/.git") ? dirname(commonDir) : commonDir;
    return [project.path, commonDir, root];
  }

  async mergeability(
    { project, base, folder, sandbox }: PlanAt & { readonly sandbox: SandboxRef },
    signal: AbortSignal,
  ): Promise<Mergeability> {
    const user = await this.#open(project);
    const repository = this.#repository(folder);
    const head = await user.headOf(base.target_ref ?? "");
    if (head === undefined) throw goneBranch(base.target_ref);
    await checkComplete(user, repository, head);
    const behind = await repository.text(["rev-list", "--count", `${base.commit}..${head}`]);
    const { conflicts } = await mergeCommits(
      repository,
      head,
      `refs/heads/${sandbox.branch}`,
      signal,
    );
    const clean = conflicts.length === 0;
    return { target_head: head, behind: Number(behind), clean, conflicts };
  }

  async apply(options: ApplyOptions, folder: PlanFolder): Promise<ApplyResult> {
    const user = await this.#open(options.project);
    const lock = this.#locks.get(user.commonDir) ?? new Mutex();
    this.#locks.set(user.commonDir, lock);
    const work = new BranchApply(this.#context, this, options, { user, folder });
    return lock.run(() => work.run(), { signal: options.signal });
  }

  async wasApplied(
    { project, base, folder }: PlanAt,
    merge: { readonly commit: string | null; readonly target_ref: string | null },
  ): Promise<boolean> {
    const ref = merge.target_ref ?? base.target_ref;
    if (merge.commit === null || ref === null) return false;
    const user = await this.#open(project);
    return new MoveRepair(user, this.#repository(folder), ref, merge.commit).finished();
  }

  async release(projectPath: string, planId: string): Promise<void> {
    const project = { path: projectPath, name: "", kind: "git-checkout", trusted: false } as const;
    const user = await this.#open(project).catch(() => undefined);
    // A project that is gone has nothing to give back.
    await user?.unpin(pinsOf(planId));
  }

  #open(project: Project): Promise<UserRepository> {
    return UserRepository.open(this.#context.git, project);
  }

  #repository(folder: PlanFolder): PlanRepository {
    return new PlanRepository(this.#context.git, folder.gitDir);
  }
}
