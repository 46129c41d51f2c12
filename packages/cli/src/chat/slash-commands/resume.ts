import type { SessionMeta } from "@acumen/agent";
import { moment } from "../../sessions/list.ts";
import { shortened } from "../../terminal/printable.ts";
import type { SlashCommand } from "./slash-command.ts";

const OFFERED = 20;
const TITLE_LENGTH = 48;

export const resumeCommand: SlashCommand = {
  name: "resume",
  usage: "[ID]",
  summary: "go on with an earlier session",
  run: async ({ session, opened, context, person, print, resume }, words) => {
    if (words !== "") {
      await resume(words);
      return undefined;
    }
    const { sessions } = await opened.agent.store.list({
      workspace: session.workspace.cwd,
      limit: OFFERED,
    });
    const others = sessions.filter(({ session_id: id }) => id !== session.id);
    if (others.length === 0) {
      print("This folder has no other session.");
      return undefined;
    }
    const id = await person.ask(context.signal, ({ select }) =>
      select({ message: "Which one?", options: others.map(optionOf) }),
    );
    await resume(id);
    return undefined;
  },
};

function optionOf({ session_id: value, title, updated_at: updated }: SessionMeta) {
  const text = title === "" ? "(no prompt yet)" : shortened(title, TITLE_LENGTH);
  return { value, label: `${moment(updated)}  ${text}` };
}
