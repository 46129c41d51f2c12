import { listSessions, pageLines } from "../../sessions/list.ts";
import type { SlashCommand } from "./slash-command.ts";

const LIMIT = 10;

export const sessionsCommand: SlashCommand = {
  name: "sessions",
  summary: "the newest sessions of this folder",
  run: async ({ session, context, terminal, print }) => {
    const choice = { limit: LIMIT, cwd: session.workspace.cwd };
    print(...pageLines(terminal, await listSessions(context, choice), choice));
    return undefined;
  },
};
