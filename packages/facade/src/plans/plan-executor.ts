import type { Usage } from "@acumen/models";
import type { JsonObject } from "../envelope/json-value.ts";
import type { Sandbox } from "../sandbox/sandboxes.ts";
import type { PendingApproval, Plan, Strategy } from "./plan.ts";

/** What happened within a phase; becomes events of the plan. */
export interface ExecutorEvent {
  /** Such as `tool.invoked`. */
  readonly event_type: string;
  readonly data: JsonObject;
}

export interface ApprovalQuestion extends Omit<
  PendingApproval,
  "plan_id" | "requested_at" | "expires_at"
> {
  /** The same for calls that one `allow_always` covers, in each attempt of the plan; absent: it is not remembered here. No secret. */
  readonly remember_as?: string;
}

export interface ExecutorRun {
  readonly plan: Plan;
  /** Where the work is done; strategize only reads it. */
  readonly sandbox: Sandbox;
  readonly signal: AbortSignal;
  /** In order; waiting for it slows the work instead of filling memory. */
  event(event: ExecutorEvent): Promise<void>;
  /** Tokens as they are spent, so that they count when the work fails. What the result says of the whole counts instead. */
  spent(usage: Usage): void;
  /** Resolves with the answer; an unanswered one is a rejection. */
  approve(request: ApprovalQuestion): Promise<"allow_once" | "allow_always" | "reject_once">;
}

export interface ExecutionResult {
  /** The agent's last words. */
  readonly summary: string;
  readonly usage: Usage;
}

export interface StrategyResult extends Strategy {
  readonly usage: Usage;
}

/** Who does a plan's work: the coding agent, or a user's own. Failures are thrown as coded errors. */
export interface PlanExecutor {
  /** Reads the project and says what to do. Changes nothing. */
  strategize(run: ExecutorRun): Promise<StrategyResult>;
  /** Does the work in the sandbox. Commits nothing: whoever called it does. */
  execute(run: ExecutorRun): Promise<ExecutionResult>;
}
