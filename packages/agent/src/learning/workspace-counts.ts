import type { TagOperation } from "@acumen/ace";
import type { WorkspaceFacts } from "../agent/agent-options.ts";
import { readBookFile, workspaceBook } from "../skills/book-files.ts";
import { placeOf } from "../skills/shown-id.ts";
import type { WorkspaceTrust } from "../trust/workspace-trust.ts";
import { commitLocked, openBook } from "./commit.ts";
import type { SkillCount } from "./skill-counts.ts";

/** What keeps a workspace trusted when its book is changed here. */
export type TrustKeeper = Pick<WorkspaceTrust, "check" | "trust">;

/**
 * Raises counters in the book of a workspace. A workspace that was trusted before stays so, as long as nothing else in its `.acumen` folder
 * has changed and the file holds what was written.
 * @returns the counts that were made; a skill that is gone takes none
 */
export async function countInWorkspace(
  { cwd }: WorkspaceFacts,
  counts: readonly SkillCount[],
  trust?: TrustKeeper,
): Promise<readonly SkillCount[]> {
  if (counts.length === 0) return [];
  const file = workspaceBook(cwd);
  return commitLocked([file.path], async () => {
    const book = await openBook(file);
    const { applied } = book.skillbook.apply(tagOperations(counts));
    const made = applied.flatMap(({ index }) => counts[index] ?? []);
    const write = async (): Promise<readonly SkillCount[]> => {
      const before = await trust?.check(cwd);
      await book.save();
      if (trust && before?.state === "trusted")
        await keepTrust(trust, cwd, book.skillbook.toRecord());
      return made;
    };
    return { write };
  });
}

/** In the book that they belong to. */
export function tagOperations(counts: readonly SkillCount[]): readonly TagOperation[] {
  return counts.map(({ skillId, tag }) => ({ type: "TAG", skillId: placeOf(skillId).id, tag }));
}

async function keepTrust(trust: TrustKeeper, cwd: string, written: object): Promise<void> {
  const { state, difference = [], digest } = await trust.check(cwd);
  if (state !== "changed" || difference.some(({ path }) => path !== ".acumen/skillbook.json"))
    return;
  const { skillbook } = await readBookFile(workspaceBook(cwd));
  if (JSON.stringify(skillbook.toRecord()) !== JSON.stringify(written)) return;
  await trust.trust(cwd, { digest });
}
