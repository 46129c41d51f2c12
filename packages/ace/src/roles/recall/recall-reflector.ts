import { throwIfAborted } from "@acumen/core";

import type { Skill, SkillTag } from "../../skillbook/skill.ts";
import { withAnswer } from "../../text/answer-line.ts";
import { normaliseText } from "../../text/normalise.ts";
import type {
  ExtractedLearning,
  ReflectorInput,
  ReflectorOutput,
  ReflectorRole,
} from "../reflector.ts";
import { taughtAnswer } from "./case.ts";
import { caseText } from "./case-text.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";
import { NOT_LEARNED } from "./recall-agent.ts";

/** Longest answer that a lesson can teach beside its case; a longer one teaches nothing, because half an answer would be a false one. */
const ANSWER_CHARS = 1_200;

/**
 * Compares an answer with the truth or the feedback. What is known to be right becomes a lesson: the shortened case and its answer. The
 * cited cases are tagged:
 *
 * - helpful, if they teach what is right;
 * - harmful, if they voted for the wrong answer given: when the truth is known only the most similar of them, for the others are right
 *   about their own cases and were merely taken too far (tagging all of them cost 1.5 points of accuracy on the FiNER learning questions);
 *   when it is not known, all of them;
 * - neutral otherwise.
 */
export class RecallReflector implements ReflectorRole {
  async reflect(input: ReflectorInput): Promise<ReflectorOutput | undefined> {
    throwIfAborted(input.signal);
    const outcome = outcomeOf(input);
    if (outcome === undefined || input.question.trim() === "") return undefined;
    const { truth } = outcome;
    const skillTags = tagsFor(input.citedSkills, input.answer, outcome);
    const extractedLearnings =
      truth !== undefined && isTeachable(truth) ? [lessonOf(input, truth, outcome)] : [];
    if (extractedLearnings.length === 0 && skillTags.length === 0) return undefined;
    const correctApproach = truth === undefined ? "Not known yet." : `Answer: ${shorten(truth)}`;
    if (outcome.correct) {
      return {
        reasoning: `The answer was right, judged by ${outcome.basis}.`,
        errorIdentification: "",
        rootCauseAnalysis: "",
        correctApproach,
        keyInsight: "Answer cases like this one the same way.",
        extractedLearnings,
        skillTags,
      };
    }
    return {
      reasoning: `The answer was wrong, judged by ${outcome.basis}.`,
      errorIdentification: `Answered: ${shorten(input.answer)}`,
      rootCauseAnalysis:
        "The most similar stored cases have another answer, or there was no similar case.",
      correctApproach,
      keyInsight:
        truth === undefined ? "Trust the cited cases less." : "Answer cases like this one so.",
      extractedLearnings,
      skillTags,
    };
  }
}

function isTeachable(truth: string): boolean {
  return truth.length <= ANSWER_CHARS && normaliseText(truth) !== normaliseText(NOT_LEARNED);
}

function lessonOf(
  { question, context, answer }: ReflectorInput,
  truth: string,
  { correct, basis }: Outcome,
): ExtractedLearning {
  return {
    learning: withAnswer(caseText(question, context), truth),
    atomicityScore: 1,
    evidence: `Answered ${correct ? "right" : "wrong"}: ${shorten(answer)}`,
    justification: `Known from ${basis}.`,
  };
}

function tagsFor(
  cited: readonly Skill[],
  answer: string,
  { truth, correct }: Outcome,
): ReflectorOutput["skillTags"] {
  const right = truth === undefined ? undefined : normaliseText(truth);
  const given = normaliseText(answer);
  let misled = false;
  return cited.flatMap((skill): { id: string; tag: SkillTag }[] => {
    const taught = taughtAnswer(skill);
    if (taught === undefined) return [];
    const said = normaliseText(taught);
    if (said === right) return [{ id: skill.id, tag: "helpful" }];
    const isBlamed = !correct && said === given && !(misled && right !== undefined);
    misled ||= isBlamed;
    return [{ id: skill.id, tag: isBlamed ? "harmful" : "neutral" }];
  });
}

function shorten(text: string): string {
  const line = text.replace(/\s+/gu, " ").trim();
  return line.length <= 200 ? line : `${line.slice(0, 199)}…`;
}
