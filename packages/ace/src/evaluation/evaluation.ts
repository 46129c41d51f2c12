import type { AgentOutput } from "../roles/agent.ts";

/** One exercise to learn from. */
export interface Sample {
  readonly id?: string;
  readonly question: string;
  readonly context?: string;
  readonly groundTruth?: string | null;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** What an environment says of an answer. `correct` is absent when it cannot be known. */
export interface Evaluation {
  readonly correct?: boolean;
  /** 0 … 1. */
  readonly score?: number;
  /** One or two sentences for the reflector. */
  readonly feedback: string;
  readonly metrics: Readonly<Record<string, number>>;
}

export interface EvaluateOptions {
  readonly signal?: AbortSignal;
  /** Every truth known in this sample set and book, for scorers that must see which answers exclude each other. */
  readonly knownAnswers?: ReadonlySet<string>;
}

/** Port: judges answers, by comparing with a truth, by running tests, by asking a person. */
export interface TaskEnvironment {
  evaluate(
    sample: Sample,
    output: AgentOutput,
    options?: EvaluateOptions,
  ): Evaluation | Promise<Evaluation>;
}
