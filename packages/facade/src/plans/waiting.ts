import type { Plan } from "./plan.ts";
import { PROFILES } from "./profile.ts";

/** What a plan waits for, in the words of `waiting_for`. */
export const WAITING = {
  executor: "service plan_executor",
  execute: "plan.execute",
  apply: "plan.apply",
  approval: "approval.respond",
  retry: "plan.retry",
  retryOrRevert: "plan.retry or plan.revert",
  applyAgain: "plan.apply, plan.revert or plan.cancel",
  applyOrCancel: "plan.apply or plan.cancel",
} as const;

/** Whether anything happens to the plan without a call. */
export function isSettled({ state, waiting_for }: Pick<Plan, "state" | "waiting_for">): boolean {
  const isActive = state === "queued" || state === "processing" || state === "complete";
  return !isActive || waiting_for !== null;
}

/** Whether it is at work, or goes on without a call; one that asks for an approval is at work. */
export function isRunning({ state, waiting_for }: Pick<Plan, "state" | "waiting_for">): boolean {
  if (state === "processing") return true;
  return (state === "queued" || state === "complete") && waiting_for === null;
}

/** What a finished strategy waits for; null: execute follows by itself or was called for. */
export function afterStrategy({ profile, execute_requested }: Plan): string | null {
  return execute_requested || PROFILES[profile.name].executes ? null : WAITING.execute;
}

/** What a finished execution waits for; null: apply follows by itself. */
export function afterExecution({ profile }: Plan): string | null {
  return PROFILES[profile.name].applies ? null : WAITING.apply;
}
