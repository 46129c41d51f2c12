import type { FeedbackEvidence, Proposal, ProposalFile } from "./proposal.ts";
import { PROPOSAL_LIMITS } from "./proposal.ts";
import type { Rating } from "./rated-turn.ts";

/** Whether a proposal came from this turn under another rating than this one. */
export function isCorrected({ feedback }: Proposal, evidence: FeedbackEvidence): boolean {
  const last = feedback.findLast(({ turn_id: turnId }) => turnId === evidence.turn_id);
  return last !== undefined && last.rating !== evidence.rating;
}

/** The same file when no proposal came from the turn under another rating; else these have the new rating as further evidence. */
export function withCorrection(file: ProposalFile, evidence: FeedbackEvidence): ProposalFile {
  if (!file.proposals.some((each) => isCorrected(each, evidence))) return file;
  const proposals = file.proposals.map((each) => {
    if (!isCorrected(each, evidence)) return each;
    return { ...each, feedback: [...each.feedback, evidence].slice(-PROPOSAL_LIMITS.feedback) };
  });
  return { ...file, proposals };
}

/** How the turn of a proposal is rated now, when that is not the rating that it was proposed under. */
export function laterRating({ feedback }: Proposal): Rating | undefined {
  const first = new Map<string, Rating>();
  const last = new Map<string, Rating>();
  for (const { turn_id: turnId, rating } of feedback) {
    if (!first.has(turnId)) first.set(turnId, rating);
    last.set(turnId, rating);
  }
  return [...last].findLast(([turnId, rating]) => first.get(turnId) !== rating)?.[1];
}
