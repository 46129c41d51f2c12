import type { Skill } from "../../skillbook/skill.ts";
import { answerOf } from "../../text/answer-line.ts";

/** Skills that did more harm than good are left out of prompts, and they don't vote either (contract: harmful >= 3 and > helpful). */
export function isTrusted({ harmful, helpful }: Skill): boolean {
  return harmful < 3 || harmful <= helpful;
}

/** The answer a skill teaches; `undefined` for advice without an answer line, which is no case. */
export function taughtAnswer(skill: Skill): string | undefined {
  const answer = answerOf(skill.content);
  return answer === "" ? undefined : answer;
}
