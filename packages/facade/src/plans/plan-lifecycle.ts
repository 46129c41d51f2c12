import { createRedactor, type Redactor } from "@acumen/agent";
import { type Clock, type Logger, silentLogger, systemClock } from "@acumen/core";
import type { Caller } from "../access/caller.ts";
import type { ActionRegistry } from "../services/action-registry.ts";
import type {
  PlanAnswer,
  PlanDiff,
  PlanLifecycleService,
  UseActionInput,
} from "../services/plan-lifecycle-service.ts";
import type { ProjectRegistry } from "../services/project-registry.ts";
import type { SessionService } from "../services/session-service.ts";
import type { DiffOptions, Sandboxes } from "../sandbox/sandboxes.ts";
import type { FacadeStore, Page, PlanQuery } from "../store/facade-store.ts";
import { type After, systemAfter } from "./after.ts";
import type { PageOptions } from "./diff-page.ts";
import { checkMayApply, PlanApplication } from "./plan-application.ts";
import { type ApprovalDecision, PlanApprovals } from "./plan-approvals.ts";
import { PlanCreation } from "./plan-creation.ts";
import { PlanDiffs } from "./plan-diffs.ts";
import { PlanEnding } from "./plan-ending.ts";
import { PlanEngine } from "./plan-engine.ts";
import { PlanExecution, settledAnswer } from "./plan-execution.ts";
import type { PlanExecutor } from "./plan-executor.ts";
import type { PlanParts, PlanSettings } from "./plan-parts.ts";
import { PlanRecovery } from "./plan-recovery.ts";
import { type ChangeCommitter, type PlanKey, PlanRecords } from "./plan-records.ts";
import type { ApplyRequest, PendingApproval, Plan } from "./plan.ts";

export interface PlanLifecycleOptions {
  readonly store: PlanParts["store"] & Pick<FacadeStore, "plan">;
  /** Writes state and events together. */
  readonly queue: ChangeCommitter;
  readonly projects: ProjectRegistry;
  readonly actions: Pick<ActionRegistry, "atBase" | "inAdvance">;
  readonly sandboxes: Sandboxes;
  /** Absent: plans are made, and wait. */
  readonly executor?: PlanExecutor;
  readonly sessions: Pick<SessionService, "get">;
  readonly settings?: PlanSettings;
  readonly clock?: Clock;
  readonly after?: After;
  readonly logger?: Logger;
  /** For what is kept of errors. Default: texts that look like keys. */
  readonly redact?: Redactor;
}

const DEFAULTS = { concurrency: 4, approvalTimeoutMs: 15 * 60_000, allowUnisolated: false };

/** Plans from creation until their change is merged. `start` takes up what an earlier process left; without it everything else works. */
export class PlanLifecycle implements PlanLifecycleService {
  readonly #parts: PlanParts;
  readonly #engine: PlanEngine;
  readonly #approvals: PlanApprovals;
  readonly #creation: PlanCreation;
  readonly #execution: PlanExecution;
  readonly #application: PlanApplication;
  readonly #ending: PlanEnding;
  readonly #diffs: PlanDiffs;
  readonly #recovery: PlanRecovery;
  #executor: PlanExecutor | undefined;

  constructor(options: PlanLifecycleOptions) {
    const { store, queue, projects, actions, sandboxes, executor, sessions, settings } = options;
    const { clock = systemClock, after = systemAfter, logger = silentLogger } = options;
    this.#executor = executor;
    this.#parts = {
      store,
      records: new PlanRecords(store, queue, after),
      projects,
      actions,
      sandboxes,
      sessions,
      executor: () => this.#executor,
      settings: { ...DEFAULTS, ...settings },
      clock,
      after,
      logger,
      redact: options.redact ?? createRedactor(),
    };
    this.#approvals = new PlanApprovals(this.#parts);
    this.#engine = new PlanEngine(this.#parts, this.#approvals);
    this.#creation = new PlanCreation(this.#parts);
    this.#execution = new PlanExecution(this.#parts, this.#engine);
    this.#application = new PlanApplication(this.#parts, this.#engine);
    this.#ending = new PlanEnding(this.#parts, this.#engine);
    this.#diffs = new PlanDiffs(this.#parts);
    this.#recovery = new PlanRecovery(this.#parts, this.#engine);
  }

  /** Once, before the first request: plans that were interrupted go on, merges are looked at, left-overs removed. */
  start(): Promise<void> {
    return this.#recovery.recover();
  }

  /** Plans that waited for an executor go on. */
  async useExecutor(executor: PlanExecutor): Promise<void> {
    this.#executor = executor;
    await this.#recovery.reconsider();
  }

  /** Interrupts what runs, in good order: it goes on after the next start. */
  close(): Promise<void> {
    return this.#engine.close();
  }

  /** @throws ResourceNotFoundError, ValidationError, AuthorizationError, BusinessRuleViolation */
  async useAction(input: UseActionInput, caller: Caller): Promise<Plan> {
    const plan = await this.#creation.create(input, caller);
    this.#engine.wake(plan);
    return plan;
  }

  async executePlan(
    planId: string,
    options: {
      readonly retry: boolean;
      readonly expectedVersion?: number;
      readonly waitMs: number;
    },
    caller: Caller,
  ): Promise<PlanAnswer> {
    const answer = await this.#execution.execute(keyFor(planId, caller), options);
    const { waitMs } = options;
    return settledAnswer(this.#parts, answer, { waitMs, signal: caller.signal });
  }

  getPlan(planId: string, caller: Caller): Promise<Plan> {
    return this.#parts.records.get(keyFor(planId, caller));
  }

  async applyPlan(
    planId: string,
    options: ApplyRequest & { readonly waitMs: number; readonly dryRun: boolean },
    caller: Caller,
  ): Promise<PlanAnswer> {
    const { waitMs, dryRun, expected_digest, expected_target_head, message } = options;
    const request = { expected_digest, expected_target_head, message };
    const answer = await this.#application.apply(keyFor(planId, caller), request, dryRun, caller);
    if (dryRun) return answer;
    return settledAnswer(this.#parts, answer, { waitMs, signal: caller.signal });
  }

  listPlans(query: Omit<PlanQuery, "owner">, { principal }: Caller): Promise<Page<Plan>> {
    return this.#parts.store.plans({ ...query, owner: principal.owner });
  }

  diffPlan(
    planId: string,
    options: Omit<DiffOptions, "signal"> & PageOptions,
    caller: Caller,
  ): Promise<PlanDiff> {
    return this.#diffs.diff(keyFor(planId, caller), { ...options, signal: caller.signal });
  }

  cancelPlan(planId: string, caller: Caller): Promise<PlanAnswer> {
    return this.#ending.cancel(keyFor(planId, caller));
  }

  retryPlan(planId: string, caller: Caller): Promise<PlanAnswer> {
    return this.#execution.retry(keyFor(planId, caller), () => checkMayApply(caller));
  }

  revertPlan(
    planId: string,
    { reason }: { readonly reason?: string },
    caller: Caller,
  ): Promise<PlanAnswer> {
    return this.#ending.revert(keyFor(planId, caller), reason);
  }

  /** Of one plan, or of all that the caller owns. */
  async listApprovals(
    planId: string | undefined,
    caller: Caller,
  ): Promise<readonly PendingApproval[]> {
    if (planId !== undefined) return (await this.getPlan(planId, caller)).pending_approvals;
    const plans = await this.#parts.store.unfinishedPlans(["processing"]);
    return plans
      .filter(({ owner }) => owner === caller.principal.owner)
      .flatMap(({ pending_approvals }) => pending_approvals);
  }

  respondApproval(
    planId: string,
    callId: string,
    decision: ApprovalDecision,
    caller: Caller,
  ): Promise<Plan> {
    return this.#approvals.respond(keyFor(planId, caller), callId, decision);
  }
}

function keyFor(planId: string, { principal }: Caller): PlanKey {
  return { owner: principal.owner, planId };
}
