import { untilAborted } from "@acumen/core";
import { bullets, paragraphs } from "./answer-text.ts";
import type { HostCommand } from "./host-command.ts";

const LISTED = 10;
const TITLE_CHARS = 80;

export const sessionsCommand: HostCommand = {
  name: "sessions",
  description: "List the newest sessions of this folder",
  run: async ({ hosted, session, signal, say }) => {
    const { sessions, nextCursor } = await untilAborted(
      hosted.agent.store.list({ workspace: session.workspace.cwd, limit: LISTED }),
      signal,
    );
    const items = sessions.map(({ session_id: id, title, mode, updated_at: updated }) => {
      const name = title === "" ? "(no prompt yet)" : say.prose(title, TITLE_CHARS);
      const own = id === session.id ? " (this one)" : "";
      return `${say.code(id)} ${moment(updated)}, ${mode}: ${name}${own}`;
    });
    return paragraphs(
      items.length === 0 ? "This folder has no sessions." : bullets(items),
      nextCursor === undefined ? "" : "`acumen sessions list` in a terminal shows older ones.",
    );
  },
};

/** To the minute. */
function moment(timestamp: string): string {
  return `${new Date(timestamp).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
