import { isTrusted, standing } from "./case.ts";
import type { CaseIndex, Neighbour } from "./case-index.ts";

/**
 * Found by cross-validation on the FiNER learning questions: 8 to 16 neighbours and powers of 3 to 5 are all within a point of accuracy.
 */
export const VOTERS = 10;
const POWER = 4;
/** Below this similarity a case shares hardly more than one common word with the question. */
const LEAST_SIMILARITY = 0.02;

export interface Vote {
  readonly answer: string;
  /** Share of the votes for the answer, 0 … 1. */
  readonly share: number;
}

/** The cases that vote on a case text, most similar first; empty when nothing relevant is known. */
export function votersOf(index: CaseIndex, text: string): Neighbour[] {
  return index
    .nearest(text, VOTERS, isTrusted)
    .filter(({ similarity }) => similarity >= LEAST_SIMILARITY);
}

interface Ballot {
  readonly answer: string;
  weight: number;
}

/**
 * Counts the votes: a case's weight is the fourth power of its similarity times its standing. At equal weight the answer of the most
 * similar case wins.
 */
export function countVotes(voters: readonly Neighbour[]): Vote | undefined {
  const ballots = new Map<string, Ballot>();
  let total = 0;
  for (const { answer, answerKey, similarity, skill } of voters) {
    const weight = similarity ** POWER * standing(skill);
    total += weight;
    const ballot = ballots.get(answerKey);
    if (ballot === undefined) ballots.set(answerKey, { answer, weight });
    else ballot.weight += weight;
  }
  let best: Ballot | undefined;
  for (const ballot of ballots.values()) {
    if (best === undefined || ballot.weight > best.weight) best = ballot;
  }
  return best && { answer: best.answer, share: best.weight / total };
}
