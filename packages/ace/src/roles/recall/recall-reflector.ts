import { throwIfAborted } from "@acumen/core";

import type { Skill, SkillTag } from "../../skillbook/skill.ts";
import { withAnswer } from "../../text/answer-line.ts";
import { normaliseText } from "../../text/normalise.ts";
import type { ReflectorInput, ReflectorOutput, ReflectorRole } from "../reflector.ts";
import { taughtAnswer } from "./case.ts";
import { caseText } from "./case-text.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";
import { NOT_LEARNED } from "./recall-agent.ts";

/** Longest answer that a lesson can teach beside its case; a longer one teaches nothing, because half an answer would be a false one. */
const ANSWER_CHARS = 1_200;

/**
 * Compares an answer with the truth or the feedback. What is known to be right becomes a lesson: the shortened case and its answer. The
 * cases that voted for the right answer are tagged helpful, those that voted for a wrong given answer harmful, and others are not tagged,
 * because losing a vote is what a case of another kind should do.
 */
export class RecallReflector implements ReflectorRole {
  async reflect(input: ReflectorInput): Promise<ReflectorOutput | undefined> {
    throwIfAborted(input.signal);
    const outcome = outcomeOf(input);
    if (outcome === undefined || input.question.trim() === "") return undefined;
    const { truth } = outcome;
    const teachable =
      truth !== undefined &&
      truth.length <= ANSWER_CHARS &&
      normaliseText(truth) !== normaliseText(NOT_LEARNED);
    const skillTags = input.citedSkills.flatMap((skill) => tagFor(skill, input.answer, outcome));
    if (!teachable && skillTags.length === 0) return undefined;
    const verdict = outcome.correct === true ? "right" : "wrong";
    const lesson = teachable
      ? withAnswer(caseText(input.question, input.context), truth)
      : undefined;
    return {
      reasoning: `The answer was ${verdict}, judged by ${outcome.basis}.`,
      errorIdentification: outcome.correct === true ? "" : `Answered: ${shorten(input.answer)}`,
      rootCauseAnalysis:
        outcome.correct === true
          ? ""
          : "The most similar stored cases have another answer, or there were none.",
      correctApproach: truth === undefined ? "Not known yet." : `Answer: ${shorten(truth)}`,
      keyInsight:
        truth === undefined
          ? "Trust the cited cases less."
          : "Answer cases like this one the same way.",
      extractedLearnings:
        lesson === undefined
          ? []
          : [
              {
                learning: lesson,
                atomicityScore: 1,
                evidence: `Answered ${verdict}: ${shorten(input.answer)}`,
                justification: `Known from ${outcome.basis}.`,
              },
            ],
      skillTags,
    };
  }
}

function tagFor(skill: Skill, given: string, outcome: Outcome): { id: string; tag: SkillTag }[] {
  const taught = taughtAnswer(skill);
  if (taught === undefined) return [];
  const said = normaliseText(taught);
  if (outcome.truth !== undefined && said === normaliseText(outcome.truth))
    return [{ id: skill.id, tag: "helpful" }];
  if (outcome.correct === false && said === normaliseText(given))
    return [{ id: skill.id, tag: "harmful" }];
  return [];
}

function shorten(text: string): string {
  const line = text.replace(/\s+/gu, " ").trim();
  return line.length <= 200 ? line : `${line.slice(0, 199)}…`;
}
