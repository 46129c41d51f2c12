import { type Clock, ensureFolder, systemClock } from "@acumen/core";
import type { LearningMode } from "../settings/agent-settings.ts";
import { machineBook } from "../skills/book-files.ts";
import { commitLocked, openBook, saveAfter } from "./commit.ts";
import { isCorrected, withCorrection } from "./corrected-rating.ts";
import { countOnce, type Counting } from "./counted-ratings.ts";
import {
  EMPTY_PROPOSALS,
  type FeedbackEvidence,
  type Proposal,
  type ProposalDraft,
  type Taken,
  withProposals,
} from "./proposal.ts";
import { carryOut } from "./proposal-operations.ts";
import { ProposalStore } from "./proposal-store.ts";
import type { SkillCount } from "./skill-counts.ts";

/** What a rating changed, each skill under its shown id. */
export interface Changes extends Counting {
  /** Waiting for a review (mode `suggest`). */
  readonly proposed: readonly Proposal[];
  /** Ids of the machine's book that were added or changed (mode `auto`). */
  readonly learned: readonly string[];
  /** Lessons that were not taken, and why. */
  readonly dropped: readonly { readonly content: string; readonly reason: string }[];
}

export const NO_CHANGES: Changes = {
  counted: [],
  uncounted: [],
  kept: [],
  proposed: [],
  learned: [],
  dropped: [],
};

interface MachineChange {
  /** `$ACUMEN_HOME`, absolute. */
  readonly home: string;
  readonly mode: LearningMode;
  readonly evidence: FeedbackEvidence;
  readonly counts: readonly SkillCount[];
  readonly drafts: readonly ProposalDraft[];
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
}

/** Counters and lessons of the machine's book, all or nothing as far as an abort is concerned; each file is replaced whole. */
export async function changeMachine(change: MachineChange): Promise<Changes> {
  const { home, mode, evidence, counts, drafts, signal, clock = systemClock } = change;
  const store = new ProposalStore(home);
  const corrects = await isCorrection(store, evidence);
  if (counts.length === 0 && drafts.length === 0 && !corrects) return NO_CHANGES;
  await ensureFolder(home, { mode: 0o700 });
  const suggests = mode === "suggest" && drafts.length > 0;
  const needsStore = suggests || corrects || counts.length > 0;
  const bookFile = machineBook(home);
  const prepare = async () => {
    const before = needsStore ? await store.read() : EMPTY_PROPOSALS;
    const book = await openBook(bookFile);
    const { turn_id, rating, at } = evidence;
    const rated = { turn_id, rating, book: "machine", at } as const;
    const { file: counted, ...counting } = countOnce(book.skillbook, before, rated, counts);
    const file = withCorrection(counted, evidence);
    if (suggests) {
      const taken = withProposals(file, drafts, clock.now().toISOString());
      const write = async (): Promise<Changes> => {
        await saveAfter(book, store, { before, after: taken.file });
        const { proposed } = taken;
        return { ...NO_CHANGES, ...counting, proposed, dropped: droppedOf(taken) };
      };
      return { write };
    }
    const carried = drafts.map((draft) => ({
      content: draft.content,
      result: carryOut(book.skillbook, draft, "auto"),
    }));
    const learned = carried.flatMap(({ result }) => (result.ok ? [result.skillId] : []));
    const dropped = carried.flatMap(({ content, result }) =>
      result.ok ? [] : [{ content, reason: result.reason }],
    );
    const write = async (): Promise<Changes> => {
      await saveAfter(book, store, { before, after: file });
      return { ...NO_CHANGES, ...counting, learned, dropped };
    };
    return { write };
  };
  return commitLocked([...(needsStore ? [store.path] : []), bookFile.path], prepare, signal);
}

/** A file that cannot be read corrects nothing; whoever needs it says so. */
async function isCorrection(store: ProposalStore, evidence: FeedbackEvidence): Promise<boolean> {
  const { proposals } = await store.read().catch(() => EMPTY_PROPOSALS);
  return proposals.some((each) => isCorrected(each, evidence));
}

function droppedOf({ dropped }: Taken): Changes["dropped"] {
  return dropped.map(({ content, reason }) => ({
    content,
    reason:
      reason === "rejected"
        ? "A review refused it before."
        : "Too many proposals wait already; review them first.",
  }));
}
