import { throwIfAborted } from "@acumen/core";

import type { AgentInput, AgentOutput, AgentRole } from "../agent.ts";
import type { CaseIndex, Neighbour } from "./case-index.ts";
import { caseText } from "./case-text.ts";
import { countVotes, votersOf } from "./vote.ts";

export const NOT_LEARNED = "I have not learned this yet.";

/** Answers by the weighted vote of the stored cases nearest to the question; cites exactly the cases that voted. */
export class RecallAgent implements AgentRole {
  readonly sequential = true;
  readonly #index: CaseIndex;

  constructor(index: CaseIndex) {
    this.#index = index;
  }

  async answer({ question, context, skillbook, signal }: AgentInput): Promise<AgentOutput> {
    throwIfAborted(signal);
    this.#index.sync(skillbook);
    const voters = votersOf(this.#index, caseText(question, context));
    const vote = countVotes(voters);
    if (vote === undefined) {
      const reasoning = "No lesson in the skillbook resembles this question.";
      return { reasoning, finalAnswer: NOT_LEARNED, skillIds: [] };
    }
    return {
      reasoning: explain(voters, vote.answer, vote.share),
      finalAnswer: vote.answer,
      skillIds: voters.map(({ skill }) => skill.id),
    };
  }
}

function explain(voters: readonly Neighbour[], answer: string, share: number): string {
  const lines = voters.map(
    ({ skill, answer: said, similarity }) =>
      `[${skill.id}] similarity ${similarity.toFixed(2)}: ${oneLine(said)}`,
  );
  const cases = voters.length === 1 ? "1 similar case" : `${voters.length} similar cases`;
  return [
    `${cases} voted; ${Math.round(share * 100)} % of the weight is for: ${oneLine(answer)}`,
    ...lines,
  ].join("\n");
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/gu, " ");
  return line.length <= 120 ? line : `${line.slice(0, 119)}…`;
}
