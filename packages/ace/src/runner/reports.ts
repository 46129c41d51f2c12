import type { AcumenError } from "@acumen/core";
import type { Evaluation, Sample } from "../evaluation/evaluation.ts";
import type { AgentOutput } from "../roles/agent.ts";
import type { ApplyReport } from "../skillbook/operation.ts";
import type { SkippedLine } from "./trace-file.ts";

export interface AskResult {
  /** Names this interaction in later feedback. */
  readonly interactionId: string;
  readonly answer: string;
  readonly reasoning: string;
  /** Skills that the answer cites. */
  readonly skillIds: readonly string[];
  /** Active skills of the book that answered. */
  readonly skillCount: number;
}

/** What became of one sample in one epoch. `aborted`: nothing of it was committed. */
export interface SampleResult {
  /** Position in the call, from 0. */
  readonly index: number;
  /** From 1. */
  readonly epoch: number;
  /** For a trace: its question, context and ground truth. */
  readonly sample: Sample;
  readonly status: "done" | "failed" | "aborted";
  readonly output?: AgentOutput;
  readonly evaluation?: Evaluation;
  /** What the update did to the book. */
  readonly applied?: ApplyReport;
  readonly error?: AcumenError;
  /** Name of the pipeline step that failed. */
  readonly failedAt?: string;
}

/** Told after each finished sample, in order. Counts run through all epochs. */
export interface LearnProgress {
  readonly done: number;
  readonly total: number;
  readonly failed: number;
  readonly skillCount: number;
}

export interface LearnReport {
  /** One per sample and epoch, in order. */
  readonly results: readonly SampleResult[];
  /** Samples whose last finished epoch succeeded; `processed + failed` is the number of samples. */
  readonly processed: number;
  /** Samples whose last finished epoch failed, or that never finished one. */
  readonly failed: number;
  readonly skillCountBefore: number;
  readonly skillCountAfter: number;
  /** Skills that were added in this call and are active at its end. */
  readonly newSkillCount: number;
  /** True when the signal ended the call before all samples had finished. */
  readonly aborted: boolean;
  readonly firstError?: AcumenError;
  /** What went wrong beside the learning itself: a checkpoint that could not be written. */
  readonly warnings: readonly AcumenError[];
}

export interface TraceLearnReport extends LearnReport {
  /** Lines of the trace file that hold no JSON; they are not among the results. */
  readonly skippedLines: readonly SkippedLine[];
}

export interface FeedbackReport {
  /** True when the feedback was tied to a remembered interaction. */
  readonly matchedInteraction: boolean;
  readonly skillCountBefore: number;
  readonly skillCountAfter: number;
  readonly newSkillCount: number;
}
