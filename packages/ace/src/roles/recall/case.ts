import type { Skill } from "../../skillbook/skill.ts";
import { answerOf } from "../../text/answer-line.ts";

/** Skills that did more harm than good are left out of prompts, and they don't vote either (contract: harmful >= 3 and > helpful). */
export function isTrusted({ harmful, helpful }: Skill): boolean {
  return harmful < 3 || harmful <= helpful;
}

/** How far a lesson's record speaks for it, 0 … 1: two thirds without one. */
export function standing({ helpful, harmful }: Skill): number {
  return (helpful + 2) / (helpful + harmful + 3);
}

/** The answer a skill teaches; `undefined` for advice without an answer line, which is no case. */
export function taughtAnswer(skill: Skill): string | undefined {
  const answer = answerOf(skill.content);
  return answer === "" ? undefined : answer;
}
