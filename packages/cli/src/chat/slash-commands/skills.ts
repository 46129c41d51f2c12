import { join } from "node:path";
import type { Skill } from "@acumen/ace";
import { type CodingSession, placeOf, ProposalStore } from "@acumen/agent";
import { AcumenError } from "@acumen/core";
import { openBook } from "../../skillbook/book-file.ts";
import { count } from "../../terminal/count.ts";
import { printable } from "../../terminal/printable.ts";
import { wrap } from "../../terminal/wrap.ts";
import type { SlashCommand } from "./slash-command.ts";

export const skillsCommand: SlashCommand = {
  name: "skills",
  summary: "the skills that the last turn was given",
  run: async ({ session, opened, terminal, print }) => {
    const { folder } = opened.loaded.home;
    const last = session.events.findLast(({ type }) => type === "SKILLS_APPLIED");
    const ids = last?.type === "SKILLS_APPLIED" ? last.payload.skill_ids : [];
    const contents =
      ids.length === 0 ? new Map<string, string>() : await contentsOf(ids, session, folder);
    const { proposals } = await new ProposalStore(folder).read();
    print(
      ...(ids.length === 0 ? ["The last turn was given no skills."] : []),
      ...ids.flatMap((id) => [
        terminal.colours.bold(printable(id)),
        ...wrap(printable(contents.get(id) ?? "(no longer in the book)"), terminal.width, "  "),
      ]),
      ...(proposals.length === 0
        ? []
        : [`${count(proposals.length, "proposal")} waiting: \`acumen skillbook review\`.`]),
    );
    return undefined;
  },
};

/** By shown id. */
async function contentsOf(
  ids: readonly string[],
  { workspace, trusted }: CodingSession,
  home: string,
): Promise<Map<string, string>> {
  const machine = await skillsIn(join(home, "skillbook.json"));
  const own = trusted ? await skillsIn(join(workspace.cwd, ".acumen", "skillbook.json")) : [];
  return new Map(
    ids.flatMap((shown) => {
      const { book, id } = placeOf(shown);
      const skill = (book === "machine" ? machine : own).find((one) => one.id === id);
      return skill === undefined ? [] : [[shown, skill.content] as const];
    }),
  );
}

async function skillsIn(path: string): Promise<readonly Skill[]> {
  try {
    return (await openBook(path)).book.skills();
  } catch (error) {
    if (AcumenError.isInstance(error)) return [];
    throw error;
  }
}
