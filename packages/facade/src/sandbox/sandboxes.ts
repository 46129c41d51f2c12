import type { Change, ChangeStats, Conflict } from "./change.ts";
import type { ValidationResult, ValidationSpec } from "./validation.ts";

/** A folder that plans may be made for. */
export interface Project {
  /** Absolute real path. */
  readonly path: string;
  /** Resource name, such as `local/shop`. */
  readonly name: string;
  readonly kind: "git-checkout" | "fs-directory";
  /** When it is not: none of its actions count and no validation runs. */
  readonly trusted: boolean;
}

/** What a plan starts from. */
export interface PlanBase {
  /** In a plain folder: of the private repository of the sandbox. */
  readonly commit: string;
  /** `refs/heads/…`; null in a plain folder. */
  readonly target_ref: string | null;
  /** Such as submodules, pointers of LFS, uncommitted files that the plan will not see. */
  readonly warnings: readonly string[];
}

/** Where an attempt's sandbox is; enough to open it again after a restart. */
export interface SandboxRef {
  /** Absolute real path: by it, files that are named are known to lie within. */
  readonly path: string;
  readonly branch: string;
  readonly attempt: number;
}

/** One attempt's private copy. */
export interface Sandbox extends SandboxRef {
  /** Where commands of the plan can be kept to. */
  readonly isolation: "bubblewrap" | "none";
  /**
   * How a command is run so that it can write only here, in the sandbox and its own tmp: prefix and arguments; unchanged without
   * isolation.
   */
  wrap(command: {
    readonly file: string;
    readonly args: readonly string[];
    readonly cwd: string;
    readonly network: boolean;
  }): {
    readonly file: string;
    readonly args: readonly string[];
  };
  /** Commits what stands there, if anything changed since; an abort stops it. @returns the head commit */
  checkpoint(message: string, signal?: AbortSignal): Promise<string>;
}

export interface SandboxDiff {
  readonly base_commit: string;
  /** The last checkpoint. */
  readonly head_commit: string;
  /** SHA-256 over base commit and tree of the attempt. */
  readonly digest: string;
  readonly changes: readonly Change[];
  readonly stats: ChangeStats;
  /** Unified diff; absent when only a summary was asked for. */
  readonly patch?: string;
  readonly truncated: boolean;
}

export interface DiffOptions {
  readonly format: "summary" | "patch" | "full";
  readonly paths?: readonly string[];
  readonly contextLines?: number;
  /** What stands in the attempt now, rather than at its last checkpoint. Nothing of the attempt is changed. */
  readonly live?: boolean;
  /** Picks those of the changes that are shown, and of which the patch is; default: the first 5,000. */
  readonly pick?: (all: {
    readonly digest: string;
    readonly changes: readonly Change[];
  }) => readonly Change[];
  readonly signal: AbortSignal;
}

export interface Mergeability {
  /** Head of the target now; null in a plain folder. */
  readonly target_head: string | null;
  /** Commits of the target that the base does not have. */
  readonly behind: number;
  readonly clean: boolean;
  readonly conflicts: readonly Conflict[];
}

export interface ApplyOptions {
  readonly planId: string;
  readonly project: Project;
  readonly base: PlanBase;
  readonly sandbox: SandboxRef;
  readonly digest: string;
  readonly expectedTargetHead: string | null;
  readonly message: string;
  readonly validations: readonly ValidationSpec[];
  readonly allowUnisolated: boolean;
  readonly signal: AbortSignal;
  /** Before the target moves; what it stores is what a restart repairs from. Throws when somebody cancelled meanwhile. */
  moving(merge: {
    readonly commit: string | null;
    readonly target_ref: string | null;
    readonly target_head: string | null;
  }): Promise<void>;
  /** Each validation as it begins and ends. */
  validated(event: {
    readonly name: string;
    readonly result: ValidationResult | undefined;
  }): Promise<void>;
}

export type ApplyResult =
  | {
      readonly outcome: "applied";
      readonly commit: string | null;
      readonly validations: readonly ValidationResult[] | "none";
      readonly stats: ChangeStats;
    }
  | {
      readonly outcome: "constrained";
      readonly conflicts: readonly Conflict[];
      readonly validations: readonly ValidationResult[];
      readonly reason: string;
    };

/** Private copies of projects, and the only way a plan's change comes back. Every git call goes through one wrapper. */
export interface Sandboxes {
  /**
   * Where a plan would start; pins it for `planId`, so that nothing collects it.
   * @throws BusinessRuleViolation for an empty repository, a detached head or another state that no plan can start from
   */
  base(project: Project, planId: string): Promise<PlanBase>;
  /** A file as it is at the base; undefined: there is none. */
  readBase(project: Project, base: PlanBase, path: string): Promise<string | undefined>;
  /** Paths below `folder` at the base. */
  listBase(project: Project, base: PlanBase, folder: string): Promise<readonly string[]>;
  /** A new attempt; an older one with the same number is replaced. */
  create(
    plan: {
      readonly planId: string;
      readonly attempt: number;
      readonly project: Project;
      readonly base: PlanBase;
    },
    signal: AbortSignal,
  ): Promise<Sandbox>;
  /** @throws PlanError when it is gone */
  open(plan: {
    readonly planId: string;
    readonly project: Project;
    readonly base: PlanBase;
    readonly sandbox: SandboxRef;
  }): Promise<Sandbox>;
  diff(
    plan: { readonly project: Project; readonly base: PlanBase; readonly sandbox: SandboxRef },
    options: DiffOptions,
  ): Promise<SandboxDiff>;
  /** Changes nothing. */
  mergeability(
    plan: {
      readonly planId: string;
      readonly project: Project;
      readonly base: PlanBase;
      readonly sandbox: SandboxRef;
    },
    signal: AbortSignal,
  ): Promise<Mergeability>;
  /** The one way to apply: digest, target head, merge, validations at the merge result, compare and swap. */
  apply(options: ApplyOptions): Promise<ApplyResult>;
  /** After a crash between `moving` and the receipt: whether the target has the merge. Finishes or undoes a half-written plain folder. */
  wasApplied(
    plan: { readonly planId: string; readonly project: Project; readonly base: PlanBase },
    merge: { readonly commit: string | null; readonly target_ref: string | null },
  ): Promise<boolean>;
  /** Everything of a plan that is not the user's: clones, pins, temporary folders. A plan without any is no error. */
  remove(plan: { readonly planId: string; readonly project: Project }): Promise<void>;
  /** Left-overs of plans that are not among those. */
  sweep(planIds: ReadonlySet<string>): Promise<void>;
}
