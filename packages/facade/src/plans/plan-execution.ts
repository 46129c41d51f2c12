import { afterChange } from "../errors/after-change.ts";
import { ConflictError, PlanError } from "../errors/domain-error.ts";
import type { PlanAnswer } from "../services/plan-lifecycle-service.ts";
import { checkAllowed, verdictOf } from "./legal-calls.ts";
import { noExecutor } from "./phase-work.ts";
import type { PlanEngine } from "./plan-engine.ts";
import {
  changed,
  moved,
  phaseChanged,
  type PlanChange,
  placeOf,
  planEvent,
  stateChanged,
} from "./plan-move.ts";
import type { PlanParts } from "./plan-parts.ts";
import type { PlanKey } from "./plan-records.ts";
import type { Plan } from "./plan.ts";
import { pointOf } from "./transitions.ts";
import { isSettled } from "./waiting.ts";

export interface ExecuteOptions {
  readonly retry: boolean;
  readonly expectedVersion?: number;
}

/** What `plan.execute` and `plan.retry` begin. */
export class PlanExecution {
  readonly #parts: PlanParts;
  readonly #engine: PlanEngine;

  constructor(parts: PlanParts, engine: PlanEngine) {
    this.#parts = parts;
    this.#engine = engine;
  }

  /** @throws BusinessRuleViolation, ConflictError, AcpNotAvailableError */
  async execute(key: PlanKey, options: ExecuteOptions): Promise<PlanAnswer> {
    let already = false as boolean;
    const plan = await this.#parts.records.update(key, (now) => {
      checkVersion(now, options);
      const change = this.#executed(now, options);
      already = change === undefined;
      return change;
    });
    this.#engine.wake(plan);
    return { plan, ...(already && { already }) };
  }

  /** @throws BusinessRuleViolation, AcpNotAvailableError */
  async retry(key: PlanKey, mayApply: (plan: Plan) => void): Promise<PlanAnswer> {
    const plan = await this.#parts.records.update(key, (now) => {
      checkAllowed(now, "plan.retry");
      if (now.phase === "apply") mayApply(now);
      return this.#retried(now, now.execute_requested || now.phase === "execute");
    });
    this.#engine.wake(plan);
    return { plan };
  }

  #executed(plan: Plan, { retry }: ExecuteOptions): PlanChange | undefined {
    const verdict = verdictOf(pointOf(plan), "plan.execute");
    if (verdict === "retry") {
      if (!retry) checkAllowed(plan, "plan.execute");
      return this.#retried(plan, plan.phase === "execute" || plan.profile.name !== "manual");
    }
    checkAllowed(plan, "plan.execute");
    if (plan.state === "processing") return this.#intended(plan);
    if (plan.state === "queued" && plan.phase !== "apply") return this.#released(plan);
    if (verdict === "already") return undefined;
    this.#needExecutor();
    const next = moved(
      plan,
      "execute",
      { execute_requested: true, runs: 0, waiting_for: null },
      this.#now(),
    );
    return { plan: next, drafts: [phaseChanged(next, plan)] };
  }

  /** While the strategy is being made: execute follows it. Under `manual` each call is for one phase, and this one runs. */
  #intended(plan: Plan): PlanChange | undefined {
    if (plan.phase !== "strategize" || plan.execute_requested) return undefined;
    if (plan.profile.name === "manual") return undefined;
    return { plan: changed(plan, { execute_requested: true }, this.#now()), drafts: [] };
  }

  /** A queued plan: what it waits for is this call, or it waits for a worker alone. */
  #released(plan: Plan): PlanChange | undefined {
    this.#needExecutor();
    const execute_requested =
      plan.phase === "execute" || plan.execute_requested || plan.profile.name !== "manual";
    const isWaiting = plan.waiting_for !== null;
    if (!isWaiting && plan.phase === "execute") return undefined;
    if (!isWaiting && execute_requested === plan.execute_requested) return undefined;
    const next = changed(plan, { waiting_for: null, execute_requested }, this.#now());
    return { plan: next, drafts: isWaiting ? [stateChanged(next, plan)] : [] };
  }

  #retried(plan: Plan, execute_requested: boolean): PlanChange {
    if (plan.phase !== "apply") this.#needExecutor();
    const isExecute = plan.phase === "execute";
    const next = moved(
      plan,
      "retry",
      {
        attempt: plan.attempt + 1,
        runs: 0,
        worker: null,
        error: null,
        waiting_for: null,
        execute_requested,
        // A new attempt gets a new copy; what the old one holds is kept until the plan is over.
        ...(isExecute && { sandbox: null, changeset: null }),
        ...(plan.phase === "apply" && { apply_request: plan.apply_request ?? NO_REQUEST }),
      },
      this.#now(),
    );
    return { plan: next, drafts: [planEvent(plan, "plan.retried", placeOf(next))] };
  }

  #needExecutor(): void {
    if (this.#parts.executor() === undefined) throw noExecutor();
  }

  #now(): Date {
    return this.#parts.clock.now();
  }
}

const NO_REQUEST = { expected_digest: null, expected_target_head: null, message: null };

export interface Waiting {
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

const MAX_WAIT_MS = 30_000;

/**
 * Waits until nothing happens to the plan without a call, at most half a minute.
 * @throws PlanError when the phase that was waited for failed; the abort's error, and the plan goes on
 */
export async function settledAnswer(
  { records }: Pick<PlanParts, "records">,
  answer: PlanAnswer,
  { waitMs, signal }: Waiting,
): Promise<PlanAnswer> {
  if (waitMs <= 0) return answer;
  const { owner, plan_id: planId } = answer.plan;
  const wait = { waitMs: Math.min(waitMs, MAX_WAIT_MS), signal };
  const plan = await records.until({ owner, planId }, isSettled, wait);
  const { error } = plan;
  if (error !== null && plan.version > answer.plan.version) {
    if (plan.state === "errored") throw afterChange(runFailed(plan, error));
    if (error.code === "FACADE_CONFLICT") {
      throw afterChange(new ConflictError(error.message, { details: error.details }));
    }
  }
  return { ...answer, plan };
}

function runFailed(
  plan: Plan,
  { code, message, retryable }: NonNullable<Plan["error"]>,
): PlanError {
  const { plan_id, phase, state, version, attempt } = plan;
  return new PlanError(`Plan ${plan_id} failed in ${phase}: ${message}`, {
    retryable: false,
    details: { plan_id, phase, state, version, attempt, error: { code, message, retryable } },
  });
}

function checkVersion(plan: Plan, { expectedVersion }: ExecuteOptions): void {
  if (expectedVersion === undefined || expectedVersion === plan.version) return;
  throw new ConflictError(
    `Plan ${plan.plan_id} has version ${plan.version}, not ${expectedVersion}; read it again and decide anew.`,
    { details: { plan_id: plan.plan_id, version: plan.version } },
  );
}
