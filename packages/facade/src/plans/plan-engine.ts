import { setMaxListeners } from "node:events";
import { ActiveRuns, type ActiveRun, RunInterrupted, RunLost } from "./active-runs.ts";
import { ApplyWork } from "./apply-work.ts";
import { hasReversions } from "./legal-calls.ts";
import { patiently } from "./patience.ts";
import { PhaseWork } from "./phase-work.ts";
import type { PlanApprovals } from "./plan-approvals.ts";
import { isReady, PlanClaim } from "./plan-claim.ts";
import { planFailure } from "./plan-failure.ts";
import { PlanGate } from "./plan-gate.ts";
import {
  changed,
  moved,
  phaseChanged,
  placeOf,
  type PlanChange,
  planEvent,
  stateChanged,
} from "./plan-move.ts";
import type { PlanParts } from "./plan-parts.ts";
import { keyOf, type PlanKey } from "./plan-records.ts";
import type { Plan } from "./plan.ts";
import { PROFILES } from "./profile.ts";
import { isFinal } from "./transitions.ts";
import { WAITING } from "./waiting.ts";
import { WorkerPool } from "./worker-pool.ts";

/** A close waits for what does not stop at once, such as the removal of many files, only for so long; the next start does it again. */
const CLOSE_MS = 2_000;

/** Moves plans on: work by workers, and what follows by itself between the phases. */
export class PlanEngine {
  readonly #parts: PlanParts;
  readonly #runs: ActiveRuns;
  readonly #gate: PlanGate;
  readonly #claim: PlanClaim;
  readonly #phases: PhaseWork;
  readonly #applies: ApplyWork;
  readonly #workers: WorkerPool;
  /** Apart, so that a change that is ready does not wait behind hours of work. */
  readonly #appliers: WorkerPool;
  readonly #background = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  constructor(parts: PlanParts, approvals: PlanApprovals) {
    this.#parts = parts;
    // As many wait for its end as plans wait for room in the store: that is no leak.
    setMaxListeners(0, this.#closing.signal);
    this.#runs = new ActiveRuns(parts.records, parts.after);
    this.#gate = new PlanGate(parts.store, parts.clock);
    this.#claim = new PlanClaim(parts, this.#gate);
    this.#phases = new PhaseWork(parts, this.#claim, approvals);
    this.#applies = new ApplyWork(parts, this.#claim);
    const { concurrency } = parts.settings;
    this.#workers = new WorkerPool(concurrency, (key) => this.#work(key));
    this.#appliers = new WorkerPool(concurrency, (key) => this.#work(key));
  }

  /** Looks whether something is to be done with the plan, and sees to it. */
  wake(plan: Plan): void {
    if (isReady(plan)) this.#pool(plan).add(keyOf(plan), plan.project.path);
    else if (plan.state === "complete" && plan.waiting_for === null) {
      this.inBackground(() => this.#advance(keyOf(plan)));
    }
  }

  /** Ends the work at a plan that was cancelled; resolves when it has ended. */
  async stop(plan: Plan): Promise<void> {
    const key = keyOf(plan);
    this.#runs.cancel(key);
    await Promise.all([this.#workers.idle(key.planId), this.#appliers.idle(key.planId)]);
  }

  /** Work that nobody waits for, except a close. What goes wrong in it is logged. */
  inBackground(work: () => Promise<void>): void {
    const running = work()
      .catch((error: unknown) => this.#logFault("work in the background failed", error))
      .finally(() => this.#background.delete(running));
    this.#background.add(running);
  }

  /** Begins nothing any more; what runs is interrupted, and goes on after the next start. */
  async close(): Promise<void> {
    const pools = [this.#workers.close(), this.#appliers.close()];
    this.#closing.abort();
    this.#runs.interruptAll();
    let cancelTimer = (): void => undefined;
    const late = new Promise<"late">((resolve) => {
      cancelTimer = this.#parts.after(CLOSE_MS, () => resolve("late"));
    });
    const ended = Promise.all(pools).then(() => this.#backgroundEnded());
    const isLate = (await Promise.race([ended, late]).finally(() => cancelTimer())) === "late";
    if (isLate)
      this.#parts.logger.warn("work of plans did not end in time; the next start cleans up");
  }

  /** Aborts when nothing new is begun any more. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  async #backgroundEnded(): Promise<void> {
    while (this.#background.size > 0) await Promise.all(this.#background);
  }

  #pool({ phase }: Plan): WorkerPool {
    return phase === "apply" ? this.#appliers : this.#workers;
  }

  async #work(key: PlanKey): Promise<void> {
    try {
      await this.#runs.with(key, async (run) => {
        const plan = await run.patiently(() => this.#claim.take(run));
        if (plan !== undefined) await this.#carryOut(plan, run);
      });
      const after = await this.#parts.records.get(key);
      if (after.state === "applied") await this.cleanUp(after);
      this.wake(after);
    } catch (error) {
      this.#logFault("a worker could not finish", error);
    }
  }

  async #carryOut(plan: Plan, run: ActiveRun): Promise<void> {
    try {
      await (plan.phase === "apply" ? this.#applies : this.#phases).run(plan, run);
    } catch (error) {
      if (error instanceof RunLost || run.signal.reason instanceof RunLost) return;
      await this.#ended(error, run).catch((fault: unknown) => {
        if (!(fault instanceof RunLost)) throw fault;
      });
    }
  }

  async #ended(error: unknown, run: ActiveRun): Promise<void> {
    // Asked with each try: the process may end while there is no room.
    const isInterrupted = (): boolean => run.signal.reason instanceof RunInterrupted;
    await run.update((plan) =>
      isInterrupted() ? this.#interrupted(plan) : this.failed(plan, error),
    );
  }

  /** A run that ended with its process in good order counts for nothing. */
  #interrupted(plan: Plan): PlanChange | undefined {
    // The target may have moved: the next start finds that out.
    if (plan.merge !== null) return undefined;
    return this.requeued(plan, plan.runs - 1);
  }

  requeued(plan: Plan, runs: number): PlanChange {
    const next = moved(
      plan,
      "requeue",
      { worker: null, merge: null, pending_approvals: [], waiting_for: null, runs },
      this.#parts.clock.now(),
    );
    return { plan: next, drafts: [stateChanged(next, plan)] };
  }

  failed(plan: Plan, error: unknown): PlanChange {
    const failure = planFailure(error, plan, this.#parts);
    const waiting_for =
      plan.phase === "execute" && hasReversions(plan) ? WAITING.retryOrRevert : WAITING.retry;
    const next = moved(
      plan,
      "fail",
      { worker: null, pending_approvals: [], error: failure, waiting_for },
      this.#parts.clock.now(),
    );
    const { code, message, retryable } = failure;
    const data = { ...placeOf(next), error: { code, message, retryable } };
    return { plan: next, drafts: [planEvent(plan, "plan.errored", data)] };
  }

  /** From one phase to the next, when the profile or an earlier call says so. */
  async #advance(key: PlanKey): Promise<void> {
    const { records, clock } = this.#parts;
    const seen = await records.get(key);
    if (seen.state !== "complete" || seen.waiting_for !== null) return;
    const isApply = seen.phase === "execute";
    const trigger = isApply ? "apply" : "execute";
    const closed = await this.#closed(seen);
    const decide = (now: Plan): PlanChange | undefined => {
      if (now.state !== "complete" || now.waiting_for !== null || now.phase !== seen.phase) {
        return undefined;
      }
      if (closed !== undefined && (isApply || !now.execute_requested)) {
        const waiting_for = `${isApply ? WAITING.apply : WAITING.execute} (${closed})`;
        const next = changed(now, { waiting_for }, clock.now());
        return { plan: next, drafts: [stateChanged(next, now)] };
      }
      const next = moved(now, trigger, { runs: 0 }, clock.now());
      return { plan: next, drafts: [phaseChanged(next, now)] };
    };
    const patience = { after: this.#parts.after, end: this.#closing.signal };
    this.wake(await patiently(() => records.update(key, decide), patience));
  }

  /** A call that came before the strategy was finished opens the gate of execute by itself. */
  async #closed(plan: Plan): Promise<string | undefined> {
    if (plan.phase === "strategize" && plan.execute_requested) return undefined;
    return this.#gate.closed(plan, PROFILES[plan.profile.name].scope);
  }

  /** Takes away everything of a plan that is over. A failure is left to the next start. */
  async cleanUp(plan: Plan): Promise<boolean> {
    if (!isFinal(plan)) return false;
    try {
      await this.#parts.sandboxes.remove({ planId: plan.plan_id, project: plan.project });
      return true;
    } catch (error) {
      this.#logFault("what a plan leaves could not be removed", error);
      return false;
    }
  }

  #logFault(message: string, error: unknown): void {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#parts.logger.error(message, { cause: this.#parts.redact(text) });
  }
}
