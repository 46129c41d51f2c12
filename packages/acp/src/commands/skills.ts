import { untilAborted } from "@acumen/core";
import { bullets } from "./answer-text.ts";
import type { HostCommand } from "./host-command.ts";

const CONTENT_CHARS = 600;

export const skillsCommand: HostCommand = {
  name: "skills",
  description: "Show the learned skills that the last turn was given",
  run: async ({ session, signal, say }) => {
    const skills = await untilAborted(session.skills(), signal);
    if (skills.length === 0) return "The last turn was given no skills.";
    return bullets(
      skills.map(({ id, content }) => {
        const text =
          content === undefined ? "(no longer in the book)" : say.prose(content, CONTENT_CHARS);
        return `${say.code(id)}: ${text}`;
      }),
    );
  },
};
