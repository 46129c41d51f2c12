import { findNearDuplicates, type Skill, type Skillbook } from "@acumen/ace";
import { type Clock, ensureFolder, systemClock } from "@acumen/core";
import { machineBook, readBookFile } from "../skills/book-files.ts";
import { isVouched } from "../skills/vouched.ts";
import { commitLocked, openBook } from "./commit.ts";
import { laterRating } from "./corrected-rating.ts";
import { type Proposal, type ProposalFile, withoutProposals } from "./proposal.ts";
import { reviewChoice } from "./review-choice.ts";
import { carryOut, vouchFor } from "./proposal-operations.ts";
import { ProposalStore } from "./proposal-store.ts";
import type { Rating } from "./rated-turn.ts";

export interface ReviewOptions {
  /** `$ACUMEN_HOME`, absolute. */
  readonly home: string;
  /** Ids of proposals, or of unreviewed skills; `all` means all proposals. */
  readonly accept?: readonly string[] | "all";
  /** Ids of proposals. */
  readonly reject?: readonly string[] | "all";
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
}

/** One proposal beside what the book says now. */
export interface ReviewItem {
  readonly proposal: Proposal;
  /** The skill that it would change or remove; absent for a new one, or when it is gone. */
  readonly before?: Skill;
  /** How its turn was rated later, when that is another rating than the one it was proposed under. */
  readonly ratedLater?: Rating;
  /** Active skills that say nearly the same. */
  readonly nearDuplicates: readonly { readonly id: string; readonly content: string }[];
}

export interface Review {
  /** What waits now, oldest first. */
  readonly pending: readonly ReviewItem[];
  /** In the order of the proposals; `skillId` is the skill of the machine's book; `ratedLater` as of a {@link ReviewItem}. */
  readonly accepted: readonly {
    readonly id: string;
    readonly skillId: string;
    readonly ratedLater?: Rating;
  }[];
  readonly rejected: readonly string[];
  /** Accepted, but the book could not take them; they wait on. */
  readonly failed: readonly { readonly id: string; readonly reason: string }[];
  /** Active skills of the machine's book that came from elsewhere: sessions use them once they are accepted by id. */
  readonly unreviewed: readonly Skill[];
}

/**
 * Shows the proposals, and carries out what a person decided: accepted ones go into the machine's book, rejected ones are
 * remembered by their text, so that they are not proposed again. All of it happens in one step, alone among processes.
 * @throws AGENT_PROPOSALS_INVALID for an unknown id (then nothing was done) or a file that cannot be read; what loading and saving
 * the book throws; CORE_ABORTED
 */
export async function reviewProposals(options: ReviewOptions): Promise<Review> {
  const { home, accept = [], reject = [], signal } = options;
  const store = new ProposalStore(home);
  if (accept.length === 0 && reject.length === 0) {
    const { skillbook } = await readBookFile(machineBook(home));
    return reviewOf(await store.read(), skillbook);
  }
  await ensureFolder(home, { mode: 0o700 });
  const book = machineBook(home);
  return commitLocked([store.path, book.path], () => decide(options, store), signal);
}

async function decide(options: ReviewOptions, store: ProposalStore) {
  const { home, clock = systemClock } = options;
  const file = await store.read();
  const book = await openBook(machineBook(home));
  const { skillbook } = book;
  const known = new Set(file.proposals.map(({ id }) => id));
  const { accept, reject, vouch } = reviewChoice(options, {
    proposals: known,
    isSkill: (id) => skillbook.get(id)?.status === "active",
  });
  const accepted: { id: string; skillId: string; ratedLater?: Rating }[] = [];
  const failed: { id: string; reason: string }[] = [];
  const results = [
    ...file.proposals
      .filter(({ id }) => accept.has(id))
      .map((each) => [each.id, carryOut(skillbook, each, "review"), laterRating(each)] as const),
    ...vouch.map((id) => [id, vouchFor(skillbook, id, "review"), undefined] as const),
  ];
  for (const [id, result, ratedLater] of results) {
    if (result.ok)
      accepted.push({ id, skillId: result.skillId, ...(ratedLater && { ratedLater }) });
    else failed.push({ id, reason: result.reason });
  }
  const done = new Set(accepted.map(({ id }) => id));
  const rest = withoutProposals(file, done, reject, clock.now().toISOString());
  const write = async (): Promise<Review> => {
    // The book first: a proposal that was accepted twice is taken in once, one that is lost is lost.
    await book.save();
    await store.write(rest);
    return { ...reviewOf(rest, skillbook), accepted, rejected: [...reject], failed };
  };
  return { write };
}

function reviewOf(file: ProposalFile, skillbook: Skillbook): Review {
  const active = skillbook.skills();
  const near = nearDuplicates(file.proposals, active);
  const pending = file.proposals.map((proposal): ReviewItem => {
    const before = proposal.skill_id === null ? undefined : skillbook.get(proposal.skill_id);
    const ratedLater = laterRating(proposal);
    const twins = (near.get(proposal.id) ?? []).filter(({ id }) => id !== proposal.skill_id);
    return {
      proposal,
      ...(before?.status === "active" && { before }),
      ...(ratedLater && { ratedLater }),
      nearDuplicates: twins.map(({ id, content }) => ({ id, content })),
    };
  });
  const unreviewed = active.filter((skill) => !isVouched(skill));
  return { pending, accepted: [], rejected: [], failed: [], unreviewed };
}

/** Of each proposal, the skills of the book that say nearly the same. */
function nearDuplicates(
  proposals: readonly Proposal[],
  active: readonly Skill[],
): ReadonlyMap<string, readonly Skill[]> {
  const candidates = proposals.filter(({ change }) => change !== "remove");
  if (candidates.length === 0) return new Map();
  const byName = new Map(active.map((skill) => [`skill ${skill.id}`, skill]));
  const named = [
    ...Array.from(byName, ([id, skill]) => ({ ...skill, id })),
    ...candidates.map((each) => asSkill(each)),
  ];
  const found = new Map<string, Skill[]>();
  for (const { keepId, mergeIds } of findNearDuplicates(named, { withinSection: false })) {
    const members = [keepId, ...mergeIds];
    const skills = members.flatMap((id) => byName.get(id) ?? []);
    for (const id of members) {
      if (id.startsWith("proposal ")) found.set(id.slice("proposal ".length), skills);
    }
  }
  return found;
}

function asSkill({ id, section, content, created_at: at }: Proposal): Skill {
  return {
    id: `proposal ${id}`,
    section,
    content,
    justification: null,
    evidence: null,
    helpful: 0,
    harmful: 0,
    neutral: 0,
    createdAt: at,
    updatedAt: at,
    status: "active",
    sources: [],
  };
}
