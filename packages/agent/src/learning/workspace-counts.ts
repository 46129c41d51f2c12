import { ensureFolder } from "@acumen/core";
import { readBookFile, workspaceBook } from "../skills/book-files.ts";
import type { WorkspaceTrust } from "../trust/workspace-trust.ts";
import { commitLocked, openBook, saveAfter } from "./commit.ts";
import { type Counting, countOnce } from "./counted-ratings.ts";
import type { FeedbackEvidence } from "./proposal.ts";
import { ProposalStore } from "./proposal-store.ts";
import type { SkillCount } from "./skill-counts.ts";

const NO_COUNTS: Counting = { counted: [], uncounted: [], kept: [] };

/** What keeps a workspace trusted when its book is changed here. */
export type TrustKeeper = Pick<WorkspaceTrust, "check" | "trust">;

interface WorkspaceChange {
  /** `$ACUMEN_HOME`, absolute. */
  readonly home: string;
  /** Of the workspace; absolute real path. */
  readonly cwd: string;
  readonly evidence: FeedbackEvidence;
  readonly counts: readonly SkillCount[];
  readonly trust?: TrustKeeper;
}

/**
 * Raises counters in the book of a workspace. A workspace that was trusted before stays so, as long as nothing else in its `.acumen` folder
 * has changed and the file holds what was written.
 */
export async function countInWorkspace(change: WorkspaceChange): Promise<Counting> {
  const { home, cwd, evidence, counts, trust } = change;
  if (counts.length === 0) return NO_COUNTS;
  await ensureFolder(home, { mode: 0o700 });
  const store = new ProposalStore(home);
  const bookFile = workspaceBook(cwd);
  return commitLocked([store.path, bookFile.path], async () => {
    const before = await store.read();
    const book = await openBook(bookFile);
    const { turn_id, rating, at } = evidence;
    const rated = { turn_id, rating, book: "workspace", at } as const;
    const { file, ...counting } = countOnce(book.skillbook, before, rated, counts);
    const write = async (): Promise<Counting> => {
      const trusted = await trust?.check(cwd);
      await saveAfter(book, store, { before, after: file });
      if (trust && trusted?.state === "trusted")
        await keepTrust(trust, cwd, book.skillbook.toRecord());
      return counting;
    };
    return { write };
  });
}

async function keepTrust(trust: TrustKeeper, cwd: string, written: object): Promise<void> {
  const { state, difference = [], digest } = await trust.check(cwd);
  if (state !== "changed" || difference.some(({ path }) => path !== ".acumen/skillbook.json"))
    return;
  const { skillbook } = await readBookFile(workspaceBook(cwd));
  if (JSON.stringify(skillbook.toRecord()) !== JSON.stringify(written)) return;
  await trust.trust(cwd, { digest });
}
