import type { Usage } from "@acumen/models";
import type { Scope } from "../access/scope.ts";
import type { JsonObject } from "../envelope/json-value.ts";
import type { Change, ChangeStats, Conflict } from "../sandbox/change.ts";
import type { PlanBase, Project, SandboxRef } from "../sandbox/sandboxes.ts";
import type { ValidationResult, ValidationSpec } from "../sandbox/validation.ts";
import type { ProfileName } from "./profile.ts";

export const PLAN_PHASES = ["strategize", "execute", "apply"] as const;
export type PlanPhase = (typeof PLAN_PHASES)[number];

export const PLAN_STATES = [
  "queued",
  "processing",
  "complete",
  "errored",
  "cancelled",
  "applied",
  "constrained",
] as const;
export type PlanState = (typeof PLAN_STATES)[number];

export const ISOLATIONS = ["bubblewrap", "none"] as const;
export type Isolation = (typeof ISOLATIONS)[number];

/** The action as it stood at the base commit when the plan was made; never read again. */
interface PlanAction {
  readonly name: string;
  readonly description: string;
  /** SHA-256 (hex) of the action's text; of a built-in one of its name and version. */
  readonly digest: string;
  /** `builtin`, or its path within the project. */
  readonly source: string;
  /** With the arguments filled in. */
  readonly prompt: string;
  /** Shown with the diff as not checked. */
  readonly definition_of_done: string | null;
  readonly validations: readonly ValidationSpec[];
}

export interface PlanStep {
  readonly content: string;
  readonly status: "pending" | "in_progress" | "completed";
}

export interface Strategy {
  readonly rationale: string;
  readonly steps: readonly PlanStep[];
}

export interface PlanFailure {
  readonly code: string;
  readonly message: string;
  readonly details: JsonObject;
  readonly phase: PlanPhase;
  readonly attempt: number;
  /** A retry may help. */
  readonly retryable: boolean;
}

/** A tool call that waits for `approval.respond`. */
export interface PendingApproval {
  readonly call_id: string;
  readonly plan_id: string;
  readonly tool: string;
  readonly title: string;
  /** The whole command of a shell call. */
  readonly command: string | null;
  readonly paths: readonly string[];
  /** JSON text, bounded and redacted. */
  readonly input: string;
  readonly reason: string;
  readonly options: readonly string[];
  readonly requested_at: string;
  /** Unanswered until then: rejected. */
  readonly expires_at: string;
}

/** What an apply did; stored before anything is cleaned up. */
export interface Receipt {
  /** Null in a plain folder. */
  readonly commit: string | null;
  readonly target_ref: string | null;
  /** Where the target was before; null in a plain folder. */
  readonly target_head?: string | null;
  readonly changeset_digest: string;
  readonly stats: ChangeStats;
  readonly applied_at: string;
  readonly validations: readonly ValidationResult[] | "none";
}

export interface MergeInProgress {
  /** Null in a plain folder. */
  readonly commit: string | null;
  readonly target_ref: string | null;
  readonly target_head: string | null;
}

export interface ArchivedPatch {
  /** Unified diff, bounded. */
  readonly patch: string;
  readonly truncated: boolean;
}

export interface Changeset {
  readonly digest: string;
  readonly base_commit: string;
  /** Commit of the attempt in its clone. */
  readonly head_commit: string;
  readonly stats: ChangeStats;
  readonly changes: readonly Change[];
}

/** One use of an action, from its strategy until its change is merged. Field names are those of the wire. */
export interface Plan {
  readonly plan_id: string;
  readonly owner: string;
  /** Counts from 1, plus one with each change: whoever writes must have read the one before. */
  readonly version: number;
  readonly phase: PlanPhase;
  readonly state: PlanState;
  /** Counts from 1; each retry and each revert begins another one. */
  readonly attempt: number;
  readonly reversion_count: number;
  /** How often a worker took the phase of this attempt, over restarts of the process. */
  readonly runs: number;
  /** Who works on it; for leases of a distributed store. */
  readonly worker: string | null;
  readonly action: PlanAction;
  readonly arguments: JsonObject;
  readonly project: Project;
  readonly profile: {
    readonly name: ProfileName;
    readonly source: "plan" | "action" | "session" | "default";
  };
  readonly session_id: string | null;
  /** Of whoever made it: no gate opens for more. */
  readonly scopes: readonly Scope[];
  readonly token_id: string | null;
  readonly models: { readonly strategy: string | null; readonly execution: string | null };
  readonly base: PlanBase;
  /** `plan.execute` was called before the strategy was finished. */
  readonly execute_requested: boolean;
  /** Whoever called `plan.apply` may apply; null before. */
  readonly apply_request: ApplyRequest | null;
  readonly waiting_for: string | null;
  readonly strategy: Strategy | null;
  readonly isolation: Isolation | null;
  readonly sandbox: SandboxRef | null;
  readonly changeset: Changeset | null;
  readonly validations: readonly ValidationResult[] | null;
  readonly conflicts: readonly Conflict[] | null;
  readonly error: PlanFailure | null;
  readonly receipt: Receipt | null;
  /** Set just before the target moves: from here a restart finds out whether it did. Null again with the receipt. */
  readonly merge: MergeInProgress | null;
  /** What the attempt before taught, for the next strategy: why it was reverted, its conflicts, what failed. */
  readonly findings: string | null;
  /** The change as it was when the sandbox was removed; null as long as the sandbox itself can be asked. */
  readonly archive: ArchivedPatch | null;
  readonly pending_approvals: readonly PendingApproval[];
  /** Calls that were allowed for the rest of the plan, as digests; a revert, after which the plan is another one, forgets them. */
  readonly allowed_calls: readonly string[];
  readonly usage: Usage;
  readonly created_at: string;
  readonly updated_at: string;
  readonly phase_started_at: string | null;
}

export interface ApplyRequest {
  readonly expected_digest: string | null;
  readonly expected_target_head: string | null;
  readonly message: string | null;
}
