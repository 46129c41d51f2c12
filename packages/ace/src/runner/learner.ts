import { ensureFolder, silentLogger } from "@acumen/core";
import type { Sample, TaskEnvironment } from "../evaluation/evaluation.ts";
import { GroundTruthEnvironment } from "../evaluation/ground-truth.ts";
import type { Pipeline } from "../pipeline/pipeline.ts";
import type { RoleSet } from "../roles/role-set.ts";
import type { Skillbook } from "../skillbook/skillbook.ts";
import { type AceOptions, DEFAULT_CHECKPOINT_INTERVAL, DEFAULT_WORKERS } from "./ace-options.ts";
import type { LearnOptions, LearnTracesOptions } from "./call-options.ts";
import { knownAnswers, lazyKnownAnswers, truthsOf } from "./known-answers.ts";
import { type Experience, runLearning } from "./learn.ts";
import type { LearningFields, Provenance } from "./learning-fields.ts";
import {
  feedbackPipeline,
  samplePipeline,
  tracePipeline,
  type Upkeep,
} from "./learning-pipelines.ts";
import { identifySample } from "./provenance/identity.ts";
import type { LearnReport } from "./reports.ts";
import type { Trace } from "./traces.ts";

/** Lets a given book grow with one set of roles and settings; knows nothing of sessions or of which book is current. */
export class Learner {
  readonly #roles: RoleSet;
  readonly #options: AceOptions;
  readonly #environment: TaskEnvironment;

  constructor(roles: RoleSet, options: AceOptions) {
    this.#roles = roles;
    this.#options = options;
    this.#environment = options.environment ?? new GroundTruthEnvironment();
  }

  async samples(
    skillbook: Skillbook,
    samples: readonly Sample[],
    options: LearnOptions,
  ): Promise<LearnReport> {
    const judging = {
      environment: options.environment ?? this.#environment,
      knownAnswers: knownAnswers(samples, skillbook),
    };
    const pipeline = samplePipeline(this.#roles, skillbook, judging, this.#upkeep());
    const experiences = samples.map((sample) => ({
      sample,
      provenance: { identity: identifySample(sample), origin: "sample" as const },
    }));
    return this.#run(pipeline, skillbook, experiences, options);
  }

  async traces(
    skillbook: Skillbook,
    traces: readonly unknown[],
    options: LearnTracesOptions,
  ): Promise<LearnReport> {
    const judging = {
      environment: options.environment ?? this.#environment,
      always: options.environment !== undefined,
      knownAnswers: lazyKnownAnswers(() => truthsOf(traces), skillbook),
    };
    const upkeep = { ...this.#upkeep(), origin: options.origin ?? ("trace" as const) };
    const pipeline = tracePipeline(this.#roles, skillbook, judging, upkeep);
    const experiences = traces.map((value) => ({ rawTrace: { value } }));
    return this.#run(pipeline, skillbook, experiences, options);
  }

  async feedback(
    skillbook: Skillbook,
    trace: Trace,
    provenance: Provenance,
    signal: AbortSignal | undefined,
  ): Promise<LearnReport> {
    const judging = {
      environment: this.#environment,
      always: false,
      knownAnswers: lazyKnownAnswers(() => [trace], skillbook),
    };
    const pipeline = feedbackPipeline(this.#roles, skillbook, judging);
    return this.#run(pipeline, skillbook, [{ trace, provenance }], { ...(signal && { signal }) });
  }

  async #run(
    pipeline: Pipeline<LearningFields>,
    skillbook: Skillbook,
    experiences: readonly Experience[],
    { signal, onProgress, epochs = 1, workers }: LearnOptions,
  ): Promise<LearnReport> {
    const { checkpointDir, logger = silentLogger } = this.#options;
    // Before the first sample, because a run of hours without its checkpoints is not what was asked for.
    if (checkpointDir !== undefined && !signal?.aborted) await ensureFolder(checkpointDir);
    return runLearning({
      pipeline,
      skillbook,
      experiences,
      epochs,
      workers: this.#roles.agent.sequential
        ? 1
        : (workers ?? this.#options.workers ?? DEFAULT_WORKERS),
      signal,
      onProgress,
      logger,
    });
  }

  #upkeep(): Upkeep {
    const {
      checkpointDir: folder,
      checkpointInterval: interval,
      deduplicateInterval,
    } = this.#options;
    return {
      deduplicateInterval,
      ...(folder !== undefined && {
        checkpoint: { folder, interval: interval ?? DEFAULT_CHECKPOINT_INTERVAL },
      }),
    };
  }
}
