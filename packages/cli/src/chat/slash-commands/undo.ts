import { undoneLines } from "../../sessions/change.ts";
import type { SlashCommand } from "./slash-command.ts";

export const undoCommand: SlashCommand = {
  name: "undo",
  summary: "take back the last turn that changed files",
  run: async ({ session, print }) => {
    print(
      ...undoneLines(await session.undo()),
      "What commands did is not undone. The model is told with your next prompt.",
    );
    return undefined;
  },
};
