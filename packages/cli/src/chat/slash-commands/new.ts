import type { SlashCommand } from "./slash-command.ts";

export const newCommand: SlashCommand = {
  name: "new",
  summary: "begin a new session here",
  run: async ({ begin }) => {
    await begin();
    return undefined;
  },
};
