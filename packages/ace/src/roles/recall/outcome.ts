import { compareWithTruth } from "../../evaluation/ground-truth.ts";
import { polarityOf } from "../../evaluation/polarity.ts";
import { normaliseText } from "../../text/normalise.ts";
import type { ReflectorInput } from "../reflector.ts";
import { correctionIn } from "./correction.ts";

export interface Outcome {
  /** What the answer should have been; absent when only its failure is known. */
  readonly truth?: string;
  readonly correct: boolean;
  readonly basis: "ground truth" | "evaluation" | "feedback" | "correction";
}

/**
 * What an experience says of its answer, by the strongest witness there is: the ground truth, then the verdict of an environment, then a
 * correction or the polarity of a person's feedback.
 */
export function outcomeOf(input: ReflectorInput): Outcome | undefined {
  const { answer, evaluation, feedback = "", skillbook } = input;
  const truth = input.groundTruth?.trim() ?? "";
  if (truth !== "") {
    const correct = evaluation?.correct ?? compareWithTruth(answer, truth) >= 1;
    return { truth, correct, basis: "ground truth" };
  }
  // A verdict of "wrong" leaves open what would have been right; the person's words may say it.
  const correction = evaluation?.correct === true ? undefined : correctionIn(feedback, skillbook);
  if (correction !== undefined) {
    const correct = normaliseText(correction) === normaliseText(answer);
    return { truth: correction, correct, basis: "correction" };
  }
  if (evaluation?.correct !== undefined) return known(answer, evaluation.correct, "evaluation");
  const polarity = polarityOf(feedback);
  return polarity === "neutral" ? undefined : known(answer, polarity === "positive", "feedback");
}

function known(answer: string, correct: boolean, basis: Outcome["basis"]): Outcome {
  return { correct, basis, ...(correct && answer.trim() !== "" && { truth: answer.trim() }) };
}
