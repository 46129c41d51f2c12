import type { Caller } from "../access/caller.ts";
import type { JsonObject } from "../envelope/json-value.ts";
import type { ApplyRequest, PendingApproval, Plan } from "../plans/plan.ts";
import type { ProfileName } from "../plans/profile.ts";
import type { DiffOptions, Mergeability, SandboxDiff } from "../sandbox/sandboxes.ts";
import type { Page, PlanQuery } from "../store/facade-store.ts";

export interface UseActionInput {
  readonly action_name: string;
  readonly arguments?: JsonObject;
  /** Path or resource name. */
  readonly project?: string;
  readonly profile?: ProfileName;
  readonly strategy_model?: string;
  readonly execution_model?: string;
  readonly session_id?: string;
}

/** What a call of an operation found or did. */
export interface PlanAnswer {
  readonly plan: Plan;
  /** Nothing was begun: it runs or is done. */
  readonly already?: boolean;
  /** Answer of a dry run. */
  readonly mergeable?: Mergeability;
}

export interface PlanDiff {
  readonly plan: Plan;
  readonly diff: SandboxDiff;
  readonly mergeable: Mergeability | null;
  /** The attempt still works. */
  readonly partial: boolean;
  /** Of the page after this one; null or absent: there is none. */
  readonly nextCursor?: string | null;
}

/** Key `plan_lifecycle_service`. A user's own needs `useAction, executePlan, getPlan, applyPlan`. */
export interface PlanLifecycleService {
  useAction(input: UseActionInput, caller: Caller): Promise<Plan>;
  /** `waitMs`: answers when the phase is over, at the latest then. */
  executePlan(
    planId: string,
    options: {
      readonly retry: boolean;
      readonly expectedVersion?: number;
      readonly waitMs: number;
    },
    caller: Caller,
  ): Promise<PlanAnswer>;
  getPlan(planId: string, caller: Caller): Promise<Plan>;
  applyPlan(
    planId: string,
    options: ApplyRequest & { readonly waitMs: number; readonly dryRun: boolean },
    caller: Caller,
  ): Promise<PlanAnswer>;
  listPlans?(query: Omit<PlanQuery, "owner">, caller: Caller): Promise<Page<Plan>>;
  diffPlan?(
    planId: string,
    options: Omit<DiffOptions, "signal"> & { readonly cursor?: string; readonly limit?: number },
    caller: Caller,
  ): Promise<PlanDiff>;
  cancelPlan?(planId: string, caller: Caller): Promise<PlanAnswer>;
  retryPlan?(planId: string, caller: Caller): Promise<PlanAnswer>;
  revertPlan?(
    planId: string,
    options: { readonly reason?: string },
    caller: Caller,
  ): Promise<PlanAnswer>;
  listApprovals?(planId: string | undefined, caller: Caller): Promise<readonly PendingApproval[]>;
  respondApproval?(
    planId: string,
    callId: string,
    decision: "allow_once" | "allow_always" | "reject_once",
    caller: Caller,
  ): Promise<Plan>;
}
