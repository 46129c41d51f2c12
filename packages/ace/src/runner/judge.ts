import type { Evaluation, TaskEnvironment } from "../evaluation/evaluation.ts";
import { polarityOf } from "../evaluation/polarity.ts";
import { sampleOfTrace, type Trace } from "./traces.ts";

export interface JudgeOptions {
  readonly environment: TaskEnvironment;
  /** True when the caller chose the environment for these traces: then it judges them without a ground truth too. */
  readonly always: boolean;
  readonly knownAnswers: () => ReadonlySet<string>;
  readonly signal?: AbortSignal | undefined;
}

/** Judges work that was done elsewhere: by its ground truth if it has one, else by the words of its feedback, else not at all. */
export async function judgeTrace(trace: Trace, options: JudgeOptions): Promise<Trace> {
  const { answer, feedback, groundTruth } = trace;
  const { environment, always, knownAnswers, signal } = options;
  if (answer !== undefined && (always || groundTruth !== undefined)) {
    const output = {
      reasoning: trace.reasoning ?? "",
      finalAnswer: answer,
      skillIds: trace.skillIds ?? [],
    };
    const evaluation = await environment.evaluate(sampleOfTrace(trace), output, {
      knownAnswers: knownAnswers(),
      ...(signal && { signal }),
    });
    return { ...trace, evaluation };
  }
  if (feedback === undefined || feedback.trim() === "") return trace;
  return { ...trace, evaluation: byWords(feedback) };
}

function byWords(feedback: string): Evaluation {
  const polarity = polarityOf(feedback);
  return {
    ...(polarity !== "neutral" && { correct: polarity === "positive" }),
    feedback,
    metrics: {},
  };
}
