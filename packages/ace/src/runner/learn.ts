import type { AcumenError, Logger } from "@acumen/core";
import type { ContextResult, Pipeline } from "../pipeline/pipeline.ts";
import type { Skillbook } from "../skillbook/skillbook.ts";
import { bookLock } from "./book-lock.ts";
import type { LearningFields, Position } from "./learning-fields.ts";
import type { LearnProgress, LearnReport, SampleResult } from "./reports.ts";
import { sampleOfTrace } from "./traces.ts";

/** The fields of one piece of experience before its first step. */
export type Experience = Omit<Partial<LearningFields>, "skillbook" | "position">;

export interface LearningRun {
  readonly pipeline: Pipeline<LearningFields>;
  /** The book that the pipeline's steps write to. */
  readonly skillbook: Skillbook;
  readonly experiences: readonly Experience[];
  readonly epochs: number;
  readonly workers: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: LearnProgress) => void) | undefined;
  readonly logger: Logger;
}

/**
 * Learns all experiences, epoch by epoch: the next epoch starts when the last update of this one is applied. Updates of
 * one book happen one at a time, in sample order. Never rejects for failing samples or an abort.
 */
export async function runLearning(run: LearningRun): Promise<LearnReport> {
  const { pipeline, skillbook, experiences, epochs, workers, signal } = run;
  const tally = new Tally(run);
  for (let epoch = 1; epoch <= epochs; epoch += 1) {
    const contexts = experiences.map((experience, index) => ({
      ...experience,
      skillbook,
      position: positionOf(index, experiences.length, epoch, epochs),
    }));
    await pipeline.run(contexts, {
      workers,
      signal,
      exclusive: (work) => bookLock(skillbook).run(work, { signal }),
      onResult: (result) => tally.add(result, epoch),
    });
  }
  return tally.report();
}

function positionOf(index: number, count: number, epoch: number, epochs: number): Position {
  return { epoch, epochs, number: index + 1, count, overall: (epoch - 1) * count + index + 1 };
}

/** Counts results as they come in; a sample counts by its last finished epoch. */
class Tally {
  readonly #run: LearningRun;
  readonly #skillCountBefore: number;
  readonly #results: SampleResult[] = [];
  readonly #succeeded: boolean[];
  readonly #added = new Set<string>();
  readonly #warnings: AcumenError[] = [];
  #done = 0;
  #failed = 0;
  #aborted = false;
  #firstError: AcumenError | undefined;

  constructor(run: LearningRun) {
    this.#run = run;
    this.#skillCountBefore = run.skillbook.size;
    this.#succeeded = run.experiences.map(() => false);
  }

  add(result: ContextResult<LearningFields>, epoch: number): void {
    this.#results.push(sampleResult(result, epoch));
    for (const warning of result.warnings) {
      this.#warnings.push(warning);
      this.#run.logger.warn("A step after an update failed", { code: warning.code });
    }
    if (result.status === "aborted") {
      this.#aborted = true;
      return;
    }
    this.#done += 1;
    this.#succeeded[result.index] = result.status === "done";
    if (result.status === "failed") {
      this.#failed += 1;
      this.#firstError ??= result.error;
    }
    for (const { type, skillId } of result.fields.applied?.applied ?? []) {
      if (type === "ADD") this.#added.add(skillId);
    }
    this.#tellProgress();
  }

  report(): LearnReport {
    const { skillbook } = this.#run;
    const processed = this.#succeeded.filter(Boolean).length;
    return {
      results: this.#results,
      processed,
      failed: this.#succeeded.length - processed,
      skillCountBefore: this.#skillCountBefore,
      skillCountAfter: skillbook.size,
      newSkillCount: [...this.#added].filter((id) => skillbook.get(id)?.status === "active").length,
      aborted: this.#aborted,
      ...(this.#firstError && { firstError: this.#firstError }),
      warnings: this.#warnings,
    };
  }

  #tellProgress(): void {
    const { onProgress, experiences, epochs, skillbook, logger } = this.#run;
    try {
      onProgress?.({
        done: this.#done,
        total: experiences.length * epochs,
        failed: this.#failed,
        skillCount: skillbook.size,
      });
    } catch {
      logger.warn("The progress listener threw; learning goes on");
    }
  }
}

function sampleResult(result: ContextResult<LearningFields>, epoch: number): SampleResult {
  const { index, status, error, failedAt, fields } = result;
  const { agentOutput, trace, applied } = fields;
  return {
    index,
    epoch,
    sample: fields.sample ?? (trace ? sampleOfTrace(trace) : { question: "" }),
    status,
    ...(agentOutput && { output: agentOutput }),
    ...(trace?.evaluation && { evaluation: trace.evaluation }),
    ...(applied && { applied }),
    ...(error && { error }),
    ...(failedAt !== undefined && { failedAt }),
  };
}
