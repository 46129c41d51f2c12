import { aceError } from "../errors.ts";
import type { AgentOutput } from "../roles/agent.ts";
import type { EvaluateOptions, Evaluation, Sample, TaskEnvironment } from "./evaluation.ts";
import { parseNumber } from "./numbers.ts";
import { type Scorer, type ScorerName, type ScorerOptions, scorers } from "./scorers.ts";

export interface GroundTruthOptions {
  /** A scorer's name or a function. Default: {@link compareWithTruth}. */
  readonly scorer?: ScorerName | Scorer;
  /** Largest difference of numbers that counts as right. Default: one unit of the truth's last digit. */
  readonly tolerance?: number;
}

/** Characters of a truth that feedback repeats. */
const SHOWN_CHARS = 300;

/**
 * The default comparison: as numbers if both texts are one number each, else whether the truth stands in the answer as whole words and
 * no other known answer does (see the scorers `numeric` and `contains`).
 */
export const compareWithTruth: Scorer = (answer, truth, options) =>
  parseNumber(answer) !== undefined && parseNumber(truth) !== undefined
    ? scorers.numeric(answer, truth, options)
    : scorers.contains(answer, truth, options);

/** Judges answers by the ground truth of their sample. Samples without one get no verdict. */
export class GroundTruthEnvironment implements TaskEnvironment {
  readonly #score: Scorer;
  readonly #tolerance: number | undefined;

  /** Throws `ACE_OPTION_INVALID` for a scorer name that doesn't exist or a negative tolerance. */
  constructor({ scorer, tolerance }: GroundTruthOptions = {}) {
    this.#score = scorerOf(scorer);
    if (tolerance !== undefined && !(tolerance >= 0)) {
      throw aceError("ACE_OPTION_INVALID", `tolerance must be 0 or more, not ${tolerance}.`);
    }
    this.#tolerance = tolerance;
  }

  /** `metrics` holds `correct` (0 or 1) and `score`; both are absent when there is nothing to compare with. */
  evaluate(
    { groundTruth }: Sample,
    { finalAnswer }: AgentOutput,
    { knownAnswers }: EvaluateOptions = {},
  ): Evaluation {
    if (groundTruth === undefined || groundTruth === null || groundTruth.trim() === "") {
      return { feedback: "No ground truth was given, so the answer was not judged.", metrics: {} };
    }
    const options: ScorerOptions = {
      ...(this.#tolerance !== undefined && { tolerance: this.#tolerance }),
      ...(knownAnswers !== undefined && { knownAnswers }),
    };
    const score = this.#score(finalAnswer, groundTruth, options);
    const correct = score >= 1;
    const shown = shorten(groundTruth.trim());
    const feedback = correct
      ? "The answer agrees with the ground truth."
      : `The answer does not agree with the ground truth. Expected: ${shown}`;
    return { correct, score, feedback, metrics: { correct: correct ? 1 : 0, score } };
  }
}

function scorerOf(scorer: ScorerName | Scorer | undefined): Scorer {
  if (scorer === undefined) return compareWithTruth;
  if (typeof scorer === "function") return scorer;
  if (Object.hasOwn(scorers, scorer)) return scorers[scorer];
  throw aceError(
    "ACE_OPTION_INVALID",
    `There is no scorer "${String(scorer)}". Known scorers: ${Object.keys(scorers).join(", ")}.`,
  );
}

function shorten(text: string): string {
  return text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS)}…`;
}
