import { addUsage, NO_USAGE, type Usage } from "@acumen/models";
import { throwIfAborted, untilAborted } from "@acumen/core";
import type { AcpEventDraft } from "../envelope/acp-event.ts";
import { ValidationError } from "../errors/domain-error.ts";
import { AcpNotAvailableError } from "../errors/acp-error.ts";
import type { Project, Sandbox } from "../sandbox/sandboxes.ts";
import type { ActiveRun } from "./active-runs.ts";
import type { PlanApprovals } from "./plan-approvals.ts";
import type { PlanClaim } from "./plan-claim.ts";
import type { ExecutorEvent, ExecutorRun, PlanExecutor } from "./plan-executor.ts";
import { changed, moved, type PlanPatch, planEvent, stateChanged } from "./plan-move.ts";
import type { PlanParts } from "./plan-parts.ts";
import type { Changeset, Plan } from "./plan.ts";
import { afterExecution, afterStrategy } from "./waiting.ts";

const MAX_STEPS = 200;

/** Tokens of a run that has not ended well yet. */
interface Tally {
  usage: Usage;
}

/** What a worker does in the phases of the executor: a private copy, the work, its result. */
export class PhaseWork {
  readonly #parts: PlanParts;
  readonly #claim: PlanClaim;
  readonly #approvals: PlanApprovals;

  constructor(parts: PlanParts, claim: PlanClaim, approvals: PlanApprovals) {
    this.#parts = parts;
    this.#claim = claim;
    this.#approvals = approvals;
  }

  /** @throws what went wrong, RunLost when the plan is somebody else's by now */
  async run(plan: Plan, run: ActiveRun): Promise<void> {
    const executor = this.#parts.executor();
    if (executor === undefined) throw noExecutor();
    const project = await untilAborted(this.#claim.project(plan), run.signal);
    const { plan_id: planId, attempt, base } = plan;
    const place = { planId, attempt, project, base };
    const sandbox = await this.#parts.sandboxes.create(place, run.signal);
    throwIfAborted(run.signal);
    const tally: Tally = { usage: NO_USAGE };
    try {
      if (plan.phase === "strategize") await this.#strategize(executor, { sandbox, tally }, run);
      else await this.#execute(executor, { sandbox, project, tally }, run);
    } catch (error) {
      await this.#spent(tally, run);
      throw error;
    }
  }

  /** What a run that came to nothing has cost, whoever has the plan by now. */
  async #spent({ usage }: Tally, run: ActiveRun): Promise<void> {
    if (usage.inputTokens + usage.outputTokens === 0) return;
    const { records, logger } = this.#parts;
    const write = () =>
      records.update(run.key, (now) => ({
        plan: changed(now, { usage: addUsage(now.usage, usage) }, this.#now()),
        drafts: [],
      }));
    await run.patiently(write).catch((error: unknown) => {
      logger.warn("the tokens of a run could not be counted", {
        plan_id: run.key.planId,
        reason: error instanceof Error ? error.message : String(error),
      });
    });
  }

  async #strategize(
    executor: PlanExecutor,
    { sandbox, tally }: { readonly sandbox: Sandbox; readonly tally: Tally },
    run: ActiveRun,
  ): Promise<void> {
    const { isolation } = sandbox;
    const plan = await run.update((now) => ({
      plan: changed(now, { isolation }, this.#now()),
      drafts: [],
    }));
    const { rationale, steps, usage } = await untilAborted(
      executor.strategize(this.#context(plan, { sandbox, tally }, run)),
      run.signal,
    );
    tally.usage = usage;
    const kept = steps.slice(0, MAX_STEPS);
    await run.update((now) => {
      const waiting_for = afterStrategy(now);
      const strategy = { rationale, steps: kept };
      const next = moved(
        now,
        "finish",
        this.#done(now, usage, { strategy, waiting_for }),
        this.#now(),
      );
      const decisions = kept.map(({ content }, index) =>
        planEvent(now, "decision.created", { index, content, attempt: now.attempt }),
      );
      return { plan: next, drafts: [...decisions, stateChanged(next, now)] };
    });
  }

  async #execute(
    executor: PlanExecutor,
    work: { readonly sandbox: Sandbox; readonly project: Project; readonly tally: Tally },
    run: ActiveRun,
  ): Promise<void> {
    const { sandbox, project, tally } = work;
    const { path, branch, attempt, isolation } = sandbox;
    const ref = { path, branch, attempt };
    const plan = await run.update((now) => ({
      plan: changed(now, { sandbox: ref, isolation, changeset: null }, this.#now()),
      drafts: [planEvent(now, "sandbox.created", { attempt, branch, isolation })],
    }));
    const { summary, usage } = await untilAborted(
      executor.execute(this.#context(plan, { sandbox, tally }, run)),
      run.signal,
    );
    tally.usage = usage;
    const changeset = await this.#changeset(plan, { sandbox, project, summary }, run.signal);
    await run.update((now) => {
      const waiting_for = afterExecution(now);
      const next = moved(
        now,
        "finish",
        this.#done(now, usage, { changeset, waiting_for }),
        this.#now(),
      );
      return {
        plan: next,
        drafts: [checkpointCreated(now, changeset, summary), stateChanged(next, now)],
      };
    });
  }

  /** What stands in the sandbox, and nothing that anybody says about it. */
  async #changeset(
    { plan_id: planId, base, action }: Plan,
    work: { readonly sandbox: Sandbox; readonly project: Project; readonly summary: string },
    signal: AbortSignal,
  ): Promise<Changeset> {
    const { sandbox, project } = work;
    throwIfAborted(signal);
    const message = `${action.name}: plan ${planId}, attempt ${sandbox.attempt}`;
    await sandbox.checkpoint(message, signal);
    throwIfAborted(signal);
    const { path, branch, attempt } = sandbox;
    const diff = await this.#parts.sandboxes.diff(
      { project, base, sandbox: { path, branch, attempt } },
      { format: "summary", signal },
    );
    const { digest, base_commit, head_commit, stats, changes } = diff;
    return { digest, base_commit, head_commit, stats, changes };
  }

  #context(
    plan: Plan,
    { sandbox, tally }: { readonly sandbox: Sandbox; readonly tally: Tally },
    run: ActiveRun,
  ): ExecutorRun {
    const { records } = this.#parts;
    const { key, signal } = run;
    return {
      plan,
      sandbox,
      signal,
      event: async (event: ExecutorEvent) => {
        throwIfAborted(signal);
        const draft = executorDraft(plan, event);
        await run.patiently(() => records.tell(plan, [draft]));
      },
      spent: (usage) => {
        tally.usage = addUsage(tally.usage, usage);
      },
      approve: async (question) => {
        throwIfAborted(signal);
        return this.#approvals.ask(question, {
          key,
          signal,
          update: (decide) => run.update(decide),
        });
      },
    };
  }

  #done(plan: Plan, usage: Usage, rest: PlanPatch): PlanPatch {
    return {
      worker: null,
      error: null,
      pending_approvals: [],
      usage: addUsage(plan.usage, usage),
      ...rest,
    };
  }

  #now(): Date {
    return this.#parts.clock.now();
  }
}

export function noExecutor(): AcpNotAvailableError {
  return new AcpNotAvailableError(
    "Plans are not carried out here: the service plan_executor is missing. Register one, or use acumen serve.",
    { details: { service: "plan_executor" } },
  );
}

/** What an executor may tell of; what becomes of its plan is not its to say. */
const EXECUTOR_FAMILIES = ["actor.", "tool.", "context.", "x."];

function executorDraft(plan: Plan, { event_type, data }: ExecutorEvent): AcpEventDraft {
  if (EXECUTOR_FAMILIES.some((family) => event_type.startsWith(family))) {
    return { event_type, plan_id: plan.plan_id, session_id: plan.session_id, data };
  }
  throw new ValidationError(
    `An executor may not publish ${event_type}, only events of ${EXECUTOR_FAMILIES.join(", ")}.`,
    [{ path: ["event_type"], message: `expected one of ${EXECUTOR_FAMILIES.join(", ")}` }],
  );
}

function checkpointCreated(plan: Plan, { digest, head_commit, stats }: Changeset, summary: string) {
  return planEvent(plan, "checkpoint.created", {
    attempt: plan.attempt,
    commit: head_commit,
    changeset_digest: digest,
    stats,
    summary_chars: summary.length,
  });
}
