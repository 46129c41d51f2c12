import { addUsage, NO_USAGE, type Usage } from "@acumen/models";
import type { EventPayload } from "../events/session-event.ts";
import type { TurnLimits } from "../settings/agent-settings.ts";

type AutoStop = EventPayload<"AUTO_STOP">;

/** Counts what a turn has used, and says which limit is reached. */
export class TurnBudget {
  readonly #limits: TurnLimits;
  #usage: Usage = NO_USAGE;
  #step = 0;
  #continuations = 0;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  get usage(): Usage {
    return this.#usage;
  }

  /** Number of the current model call, from 1; 0 before the first. */
  get step(): number {
    return this.#step;
  }

  add(usage: Usage): void {
    this.#usage = addUsage(this.#usage, usage);
  }

  /** Why there may be no further step. */
  limit(): AutoStop | undefined {
    const { maxSteps, tokenBudget } = this.#limits;
    const tokens = this.#usage.inputTokens + this.#usage.outputTokens;
    if (tokenBudget !== undefined && tokens >= tokenBudget) {
      return { reason: "token_budget", limit: tokenBudget };
    }
    return this.#step >= maxSteps ? { reason: "step_limit", limit: maxSteps } : undefined;
  }

  beginStep(): void {
    this.#step += 1;
  }

  continuationLimit(): AutoStop | undefined {
    const { maxContinuations } = this.#limits;
    return this.#continuations >= maxContinuations
      ? { reason: "continuation_limit", limit: maxContinuations }
      : undefined;
  }

  /** The number of the continuation that begins, from 1. */
  beginContinuation(): number {
    this.#continuations += 1;
    return this.#continuations;
  }
}
