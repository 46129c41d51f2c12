import { throwIfAborted, untilAborted } from "@acumen/core";
import { ResourceNotFoundError, ValidationError } from "../errors/domain-error.ts";
import type { ApprovalQuestion, ExecutorRun } from "./plan-executor.ts";
import { changed, type PlanChange, planEvent } from "./plan-move.ts";
import type { PlanParts } from "./plan-parts.ts";
import type { PlanKey } from "./plan-records.ts";
import type { PendingApproval, Plan } from "./plan.ts";
import { WAITING } from "./waiting.ts";

const MAX_ALLOWED = 500;

export type ApprovalDecision = Awaited<ReturnType<ExecutorRun["approve"]>>;

interface Asker {
  readonly key: PlanKey;
  readonly signal: AbortSignal;
  /** Writes as the run that still has the plan. */
  update(decide: (plan: Plan) => PlanChange | undefined): Promise<Plan>;
}

interface Waiter {
  readonly rememberAs: string | undefined;
  resolve(decision: ApprovalDecision): void;
}

/** Tool calls that wait for somebody's word. It stands in the plan's record; who waits for it is in this process. */
export class PlanApprovals {
  readonly #parts: PlanParts;
  readonly #askers = new Map<string, Waiter>();

  constructor(parts: PlanParts) {
    this.#parts = parts;
  }

  /** Resolves with the answer; after the time for it with a rejection. @throws the abort's error */
  async ask(asked: ApprovalQuestion, asker: Asker): Promise<ApprovalDecision> {
    const { remember_as: rememberAs, ...question } = asked;
    const { records, clock, after, settings } = this.#parts;
    const { key, signal } = asker;
    if (rememberAs !== undefined && question.options.includes("allow_always")) {
      const { allowed_calls: allowed } = await records.get(key);
      throwIfAborted(signal);
      if (allowed.includes(rememberAs)) return "allow_always";
    }
    const id = askerId(key, question.call_id);
    const answered = new Promise<ApprovalDecision>((resolve) => {
      this.#askers.set(id, { rememberAs, resolve });
    });
    try {
      await asker.update((plan) => {
        const now = clock.now();
        const pending: PendingApproval = {
          ...question,
          plan_id: key.planId,
          requested_at: now.toISOString(),
          expires_at: new Date(now.getTime() + settings.approvalTimeoutMs).toISOString(),
        };
        const next = changed(
          plan,
          {
            pending_approvals: [...plan.pending_approvals, pending],
            waiting_for: WAITING.approval,
          },
          now,
        );
        return {
          plan: next,
          drafts: [
            planEvent(plan, "plan.approval_requested", {
              ...pending,
              options: [...pending.options],
            }),
          ],
        };
      });
      const cancelTimer = after(settings.approvalTimeoutMs, () => {
        this.#settle(key, question.call_id, "reject_once", "timeout").catch((error: unknown) => {
          // Answered at the same moment: that answer counts. A store that cannot be written must not leave the call hanging.
          if (!(error instanceof ResourceNotFoundError))
            this.#askers.get(id)?.resolve("reject_once");
        });
      });
      try {
        return await untilAborted(answered, signal);
      } finally {
        cancelTimer();
      }
    } finally {
      this.#askers.delete(id);
    }
  }

  /** @throws ResourceNotFoundError when no such call waits (any more), ValidationError for an answer that was no option */
  respond(key: PlanKey, callId: string, decision: ApprovalDecision): Promise<Plan> {
    return this.#settle(key, callId, decision, "user");
  }

  async #settle(
    key: PlanKey,
    callId: string,
    decision: ApprovalDecision,
    by: "user" | "timeout",
  ): Promise<Plan> {
    const asker = this.#askers.get(askerId(key, callId));
    const rememberAs = asker?.rememberAs;
    const settled = await this.#parts.records.update(key, (plan) => {
      const pending = plan.pending_approvals.find((one) => one.call_id === callId);
      if (pending === undefined) throw notPending(plan, callId);
      if (by === "user" && !pending.options.includes(decision)) {
        throw new ValidationError(
          `${decision} is no answer to the call ${callId}; use one of ${pending.options.join(", ")}.`,
          [{ path: ["decision"], message: `expected one of ${pending.options.join(", ")}` }],
        );
      }
      const rest = plan.pending_approvals.filter((one) => one !== pending);
      const next = changed(
        plan,
        {
          pending_approvals: rest,
          waiting_for: rest.length === 0 ? null : WAITING.approval,
          ...(decision === "allow_always" && { allowed_calls: withCall(plan, rememberAs) }),
        },
        this.#parts.clock.now(),
      );
      const data = { call_id: callId, decision, by };
      return { plan: next, drafts: [planEvent(plan, "plan.approval_answered", data)] };
    });
    asker?.resolve(decision);
    return settled;
  }
}

/** The newest ones: a plan in which so many different calls were allowed asks again for the oldest. */
function withCall({ allowed_calls: allowed }: Plan, call: string | undefined): readonly string[] {
  if (call === undefined || allowed.includes(call)) return allowed;
  return [...allowed, call].slice(-MAX_ALLOWED);
}

function askerId({ planId }: PlanKey, callId: string): string {
  return `${planId} ${callId}`;
}

function notPending(plan: Plan, callId: string): ResourceNotFoundError {
  const waiting = plan.pending_approvals.map((one) => one.call_id);
  const rest =
    waiting.length === 0 ? "No call of it waits." : `Waiting: ${waiting.slice(0, 20).join(", ")}.`;
  return new ResourceNotFoundError(
    `No call ${callId} of plan ${plan.plan_id} waits for an answer (any more). ${rest}`,
    { details: { plan_id: plan.plan_id, call_id: callId } },
  );
}
