import { isTrusted } from "./case.ts";
import type { CaseIndex, Neighbour } from "./case-index.ts";

export const VOTE = { neighbours: 10, power: 4, least: 0.02 };

export interface Vote {
  readonly answer: string;
  /** Share of the votes for the answer, 0 … 1. */
  readonly share: number;
}

/** The cases that may vote on a case text, most similar first; empty when nothing relevant is known. */
export function votersOf(index: CaseIndex, text: string): Neighbour[] {
  return index
    .nearest(text, VOTE.neighbours, isTrusted)
    .filter(({ similarity }) => similarity >= VOTE.least);
}

/** Counts the votes; at equal weight the answer of the most similar case wins. */
export function countVotes(voters: readonly Neighbour[]): Vote | undefined {
  const ballots = new Map<string, { answer: string; weight: number }>();
  let total = 0;
  for (const voter of voters) {
    const weight = voter.similarity ** VOTE.power;
    total += weight;
    const ballot = ballots.get(voter.answerKey);
    if (ballot === undefined) ballots.set(voter.answerKey, { answer: voter.answer, weight });
    else ballot.weight += weight;
  }
  let best: { answer: string; weight: number } | undefined;
  for (const ballot of ballots.values()) {
    if (best === undefined || ballot.weight > best.weight) best = ballot;
  }
  return best && { answer: best.answer, share: best.weight / total };
}
