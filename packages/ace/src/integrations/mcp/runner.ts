import type { Logger } from "@acumen/core";
import type { Sample } from "../../evaluation/evaluation.ts";
import type {
  AskResult,
  FeedbackReport,
  LearnProgress,
  LearnReport,
} from "../../runner/reports.ts";
import type { Skillbook } from "../../skillbook/skillbook.ts";

/** What a session needs of a runner; the engine's `Ace` has it, tests bring their own. */
export interface SessionRunner {
  ask(
    question: string,
    options: { readonly context?: string; readonly signal?: AbortSignal },
  ): Promise<AskResult>;
  learn(
    samples: readonly Sample[],
    options: {
      readonly epochs?: number;
      readonly signal?: AbortSignal;
      readonly onProgress?: (progress: LearnProgress) => void;
    },
  ): Promise<LearnReport>;
  learnFromFeedback(feedback: {
    readonly question: string;
    readonly answer: string;
    readonly feedback: string;
    readonly context?: string;
    readonly groundTruth?: string | null;
    readonly signal?: AbortSignal;
  }): Promise<FeedbackReport>;
}

export interface RunnerSettings {
  readonly model: string;
  readonly temperature?: number;
  readonly maxTokens?: number;
}

/** Builds a runner over a session's book. Rejects with MODEL_FAILED when the model cannot be built. */
export type RunnerFactory = (
  settings: RunnerSettings,
  context: {
    readonly skillbook: Skillbook;
    readonly logger: Logger;
    /** Id of the session. */
    readonly session?: string;
  },
) => Promise<SessionRunner>;
