import type { TurnResult } from "@acumen/agent";
import { PlanError } from "../errors/domain-error.ts";
import type { Plan } from "../plans/plan.ts";

type Blocked = NonNullable<TurnResult["blocked"]>;
type Place = Pick<Plan, "plan_id" | "phase">;

const LIMITS: Readonly<Record<NonNullable<TurnResult["autoStop"]>["reason"], string>> = {
  step_limit: "the limit of model calls",
  token_budget: "the token budget",
  repeated_call: "the limit of repeated calls",
  continuation_limit: "the limit of automatic continuations",
  wall_clock: "the time limit",
};

const MAX_DETAIL_CHARS = 2000;

/**
 * A turn that did not end by itself did not do its work: says why, and what to do.
 * @throws PlanError whose `details` hold reason and coding session
 */
export function checkEnded(result: TurnResult, plan: Place, sessionId: string): void {
  const { stopReason, blocked, autoStop } = result;
  const details = { plan_id: plan.plan_id, phase: plan.phase, agent_session_id: sessionId };
  if (blocked !== undefined) {
    throw new PlanError(blockedMessage(blocked), {
      details: { ...details, reason: blocked.reason, detail: shortened(blocked.detail) },
    });
  }
  if (autoStop !== undefined) {
    throw new PlanError(
      `The agent was stopped by ${LIMITS[autoStop.reason]} (${autoStop.limit}). Raise the limit in the settings, or make the task smaller, and retry the plan.`,
      { details: { ...details, reason: autoStop.reason, limit: autoStop.limit } },
    );
  }
  if (stopReason === "end_turn") return;
  throw new PlanError(stopMessage(stopReason), { details: { ...details, reason: stopReason } });
}

function blockedMessage({ reason, detail }: Blocked): string {
  const said = shortened(detail);
  switch (reason) {
    case "question":
      return `The agent needs an answer: ${said} Make the plan anew with the answer in its prompt, or revert it with the answer as reason.`;
    case "approval_rejected":
      return `A call that the agent needs was rejected (${said}). Retry the plan and allow it, or add a rule that does.`;
    case "no_credentials":
      return `The model cannot be used without credentials (${said}). Set its key where the server runs, and retry the plan.`;
    case "missing_tool":
      return `The agent wanted a tool that it does not have (${said}). Mend the server that should bring it, or word the task so that it is not needed, and retry the plan.`;
    case "context_full":
      return `The task does not fit the model's context (${said}). Use a model with a larger one, or make the task smaller.`;
  }
}

function stopMessage(reason: Exclude<TurnResult["stopReason"], "end_turn">): string {
  switch (reason) {
    case "max_tokens":
      return "The model's answer was cut off by its output limit. Make the task smaller, or use another model, and retry the plan.";
    case "max_turn_requests":
      return "The agent made as many model calls as a turn may. Raise the limit in the settings, or make the task smaller, and retry the plan.";
    case "refusal":
      return "The model refused the task. Word it differently, or use another model.";
    case "cancelled":
      return "The agent's turn was cancelled by somebody else than the plan. Retry the plan.";
  }
}

function shortened(text: string): string {
  const line = text.trim();
  return line.length > MAX_DETAIL_CHARS ? `${line.slice(0, MAX_DETAIL_CHARS)}…` : line;
}
