import { mergeSkillbooks } from "../../skillbook/merge-books.ts";
import type { Skillbook } from "../../skillbook/skillbook.ts";
import type { SkillbookSnapshot } from "../../skillbook/snapshot.ts";
import type { Session } from "./session.ts";

/**
 * Brings what others wrote to a file into the session's book: the union of both sides' changes since `base`.
 * @throws ACE_SKILLBOOK_TOO_LARGE when both together exceed the limits of a book
 */
export function adopt(
  session: Session,
  base: SkillbookSnapshot | undefined,
  theirs: Skillbook,
): void {
  const { skillbook, report } = mergeSkillbooks(base, session.skillbook, theirs);
  session.skillbook.restore(skillbook.snapshot());
  // What the runner remembers cites ids; after a renaming they may mean other skills.
  if (report.renamed.some(({ side }) => side === "ours")) session.runner = undefined;
}
