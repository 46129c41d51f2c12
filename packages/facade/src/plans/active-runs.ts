import { setMaxListeners } from "node:events";
import { createId } from "@acumen/core";
import { PlanError } from "../errors/domain-error.ts";
import type { After } from "./after.ts";
import { patiently } from "./patience.ts";
import type { PlanChange } from "./plan-move.ts";
import type { PlanKey, PlanRecords } from "./plan-records.ts";
import type { Plan } from "./plan.ts";

/** Somebody cancelled the plan, or it is another run's by now: what this run does is of no use any more. */
export class RunLost extends PlanError {
  constructor({ planId }: PlanKey) {
    super(`This run of plan ${planId} has ended: the plan was cancelled or begun anew.`);
  }
}

/** This process ends; the plan goes on in the next one. */
export class RunInterrupted extends PlanError {
  constructor({ planId }: PlanKey) {
    super(`The run of plan ${planId} was interrupted, because its process ends.`);
  }
}

/** One worker at one plan. */
export class ActiveRun {
  readonly key: PlanKey;
  /** As `plan.worker` names it. */
  readonly worker = `${process.pid}-${createId()}`;
  readonly #controller = new AbortController();
  readonly #records: PlanRecords;
  readonly #after: After;

  constructor(key: PlanKey, records: PlanRecords, after: After) {
    this.key = key;
    // As many wait for its end as questions and events are open: that is no leak.
    setMaxListeners(0, this.#controller.signal);
    this.#records = records;
    this.#after = after;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason: RunLost | RunInterrupted): void {
    this.#controller.abort(reason);
  }

  /**
   * Writes while the plan is this run's. A store that cannot be written for a while is waited for: hours of work may hang on it.
   * @throws RunLost
   */
  update(decide: (plan: Plan) => PlanChange | undefined): Promise<Plan> {
    return this.patiently(() =>
      this.#records.update(this.key, (plan) => {
        if (plan.worker !== this.worker || plan.state !== "processing") throw new RunLost(this.key);
        return decide(plan);
      }),
    );
  }

  patiently<T>(write: () => Promise<T>): Promise<T> {
    return patiently(write, { after: this.#after, end: this.signal });
  }
}

/** Those of this process. */
export class ActiveRuns {
  readonly #records: PlanRecords;
  readonly #after: After;
  readonly #runs = new Map<string, ActiveRun>();

  constructor(records: PlanRecords, after: After) {
    this.#records = records;
    this.#after = after;
  }

  async with(key: PlanKey, work: (run: ActiveRun) => Promise<void>): Promise<void> {
    const run = new ActiveRun(key, this.#records, this.#after);
    this.#runs.set(key.planId, run);
    try {
      await work(run);
    } finally {
      this.#runs.delete(key.planId);
    }
  }

  /** A plan that does not run is no error. */
  cancel(key: PlanKey): void {
    this.#runs.get(key.planId)?.abort(new RunLost(key));
  }

  interruptAll(): void {
    for (const run of this.#runs.values()) run.abort(new RunInterrupted(run.key));
  }
}
