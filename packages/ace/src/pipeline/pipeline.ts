import { setImmediate as nextTurn } from "node:timers/promises";
import { abortError, type AcumenError } from "@acumen/core";
import { checkSteps } from "./check-steps.ts";
import { followSignal } from "./run-signal.ts";
import { runStep, stepError } from "./run-step.ts";
import type { AnyStep, Stage } from "./step.ts";

/** What became of one context. `failed`: a step threw. `aborted`: the signal came before its commit was complete. */
export interface ContextResult<Fields extends object> {
  readonly index: number;
  readonly status: "done" | "failed" | "aborted";
  /** The inputs and everything that the finished steps provided. */
  readonly fields: Partial<Fields>;
  readonly error?: AcumenError;
  /** Name of the step that threw. */
  readonly failedAt?: string;
  /** Errors of `after` steps: what they were for did not happen, the commit did. */
  readonly warnings: readonly AcumenError[];
}

export interface RunOptions<Fields extends object> {
  /** Contexts under way at once, from their first step to the end of their commit. At least 1. */
  readonly workers: number;
  readonly signal?: AbortSignal | undefined;
  /** Runs the commit and after stages of one context alone; must reject when the signal aborts while waiting. */
  readonly exclusive?: <T>(work: () => Promise<T>) => Promise<T>;
  /** Called once per context, in input order. Must not throw. */
  readonly onResult?: (result: ContextResult<Fields>) => void;
}

interface Outcome<Fields extends object> {
  fields: Partial<Fields>;
  status: "done" | "failed" | "aborted";
  error?: AcumenError;
  failedAt?: string;
}

/**
 * Runs contexts through steps. A context starts when the one `workers` places before it has committed, so no answer is
 * more than `workers` lessons behind; commits happen one at a time in input order, whatever finishes first.
 */
export class Pipeline<Fields extends object> {
  readonly steps: readonly AnyStep<Fields>[];

  /** @throws ACE_PIPELINE_INVALID when the steps do not fit together; see {@link checkSteps}. */
  constructor(steps: readonly AnyStep<Fields>[], options: { inputs: readonly (keyof Fields)[] }) {
    checkSteps(steps, options.inputs);
    this.steps = [...steps];
  }

  /** One result per context, in order. Never rejects because of a step or an abort. */
  async run(
    contexts: readonly Partial<Fields>[],
    options: RunOptions<Fields>,
  ): Promise<ContextResult<Fields>[]> {
    const followed = followSignal(options.signal);
    try {
      return await this.#runAll(contexts, { ...options, signal: followed.signal });
    } finally {
      followed.release();
    }
  }

  async #runAll(
    contexts: readonly Partial<Fields>[],
    options: RunOptions<Fields>,
  ): Promise<ContextResult<Fields>[]> {
    const results: ContextResult<Fields>[] = [];
    let next = 0;
    let previous: Promise<void> = Promise.resolve();
    const runOne = async (index: number, turn: Promise<void>): Promise<void> => {
      const outcome = await this.#prepare(contexts[index] ?? {}, options.signal);
      await turn;
      const warnings = await this.#finish(outcome, options);
      const result = { index, ...outcome, warnings };
      results.push(result);
      options.onResult?.(result);
    };
    const work = async (): Promise<void> => {
      while (next < contexts.length) {
        previous = runOne(next++, previous);
        await previous;
      }
    };
    const workers = Math.min(options.workers, contexts.length);
    await Promise.all(Array.from({ length: workers }, work));
    return results;
  }

  async #prepare(
    fields: Partial<Fields>,
    signal: AbortSignal | undefined,
  ): Promise<Outcome<Fields>> {
    const outcome: Outcome<Fields> = { fields: { ...fields }, status: "done" };
    // Roles without waiting would otherwise keep timers and sockets, and with them every abort, from their turn.
    if (!signal?.aborted) await nextTurn();
    if (signal?.aborted) markAborted(outcome, signal);
    else await this.#runStage("prepare", outcome, signal);
    return outcome;
  }

  async #finish(
    outcome: Outcome<Fields>,
    options: RunOptions<Fields>,
  ): Promise<readonly AcumenError[]> {
    const { signal, exclusive = (work) => work() } = options;
    const warnings: AcumenError[] = [];
    const hasWork = outcome.status === "done" || this.steps.some((step) => step.stage === "after");
    if (!hasWork || signal?.aborted) {
      if (signal?.aborted && outcome.status === "done") markAborted(outcome, signal);
      return warnings;
    }
    try {
      await exclusive(async () => {
        await this.#runStage("commit", outcome, signal);
        warnings.push(...(await this.#runAfter(outcome, signal)));
      });
    } catch (error) {
      // Only `exclusive` itself rejects, and only before it ran the work: nothing was committed.
      if (outcome.status !== "done") return warnings;
      if (signal?.aborted) markAborted(outcome, signal);
      else fail(outcome, "exclusive", error);
    }
    return warnings;
  }

  async #runStage(
    stage: Stage,
    outcome: Outcome<Fields>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    for (const step of this.steps) {
      if (step.stage !== stage || outcome.status !== "done") continue;
      try {
        outcome.fields = await runStep(step, outcome.fields, signal);
      } catch (error) {
        if (signal?.aborted) markAborted(outcome, signal);
        else fail(outcome, step.name, error);
      }
    }
  }

  async #runAfter(
    outcome: Outcome<Fields>,
    signal: AbortSignal | undefined,
  ): Promise<AcumenError[]> {
    const warnings: AcumenError[] = [];
    for (const step of this.steps) {
      if (step.stage !== "after") continue;
      try {
        outcome.fields = await runStep(step, outcome.fields, signal);
      } catch (error) {
        if (!signal?.aborted) warnings.push(stepError(step.name, error));
      }
    }
    return warnings;
  }
}

function fail<Fields extends object>(outcome: Outcome<Fields>, step: string, cause: unknown): void {
  outcome.status = "failed";
  outcome.error = stepError(step, cause);
  outcome.failedAt = step;
}

function markAborted<Fields extends object>(outcome: Outcome<Fields>, signal: AbortSignal): void {
  outcome.status = "aborted";
  outcome.error = errorOf(signal);
}

const abortErrors = new WeakMap<AbortSignal, AcumenError>();

/** One error per signal: an aborted run of 100,000 contexts would otherwise spend seconds on stack traces. */
function errorOf(signal: AbortSignal): AcumenError {
  const known = abortErrors.get(signal);
  if (known) return known;
  const error = abortError(signal);
  abortErrors.set(signal, error);
  return error;
}
