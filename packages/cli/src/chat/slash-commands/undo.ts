import { AcumenError } from "@acumen/core";
import { undoneLines } from "../../sessions/change.ts";
import type { SlashCommand } from "./slash-command.ts";

export const undoCommand: SlashCommand = {
  name: "undo",
  summary: "take back the last turn that changed files",
  run: async ({ session, print }) => {
    const undone = await session.undo().catch(nothingUndone);
    if (typeof undone === "string") {
      print(undone);
      return undefined;
    }
    print(
      ...undoneLines(undone),
      "What commands did is not undone. The model is told with your next prompt.",
    );
    return undefined;
  },
};

/** What to say where nothing is there to undo, which is no failure. */
function nothingUndone(error: unknown): string {
  const isNothing =
    AcumenError.isInstance(error) &&
    error.code === "AGENT_UNDO_REFUSED" &&
    Array.isArray(error.details["files"]) &&
    error.details["files"].length === 0;
  if (isNothing) return error.message;
  throw error;
}
