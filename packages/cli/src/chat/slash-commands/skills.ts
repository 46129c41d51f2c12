import { ProposalStore } from "@acumen/agent";
import { count } from "../../terminal/count.ts";
import { printable } from "../../terminal/printable.ts";
import { wrap } from "../../terminal/wrap.ts";
import type { SlashCommand } from "./slash-command.ts";

export const skillsCommand: SlashCommand = {
  name: "skills",
  summary: "the skills that the last turn was given",
  run: async ({ session, opened, terminal, print }) => {
    const skills = await session.skills();
    const { proposals } = await new ProposalStore(opened.loaded.home.folder).read();
    print(
      ...(skills.length === 0 ? ["The last turn was given no skills."] : []),
      ...skills.flatMap(({ id, content = "(no longer in the book)" }) => [
        terminal.colours.bold(printable(id)),
        ...wrap(printable(content), terminal.width, "  "),
      ]),
      ...(proposals.length === 0
        ? []
        : [`${count(proposals.length, "proposal")} waiting: \`acumen skillbook review\`.`]),
    );
    return undefined;
  },
};
