import { planLines } from "../chat-lines.ts";
import type { SlashCommand } from "./slash-command.ts";

export const planCommand: SlashCommand = {
  name: "plan",
  summary: "the plan of the agent",
  run: ({ session, print, terminal }) => {
    print(...(session.plan.length === 0 ? ["No plan."] : planLines(session.plan, terminal)));
    return Promise.resolve(undefined);
  },
};
