import type { SlashCommand } from "./slash-command.ts";

export const exitCommand: SlashCommand = {
  name: "exit",
  aliases: ["quit", "q"],
  summary: "leave; so does Ctrl-D",
  run: () => Promise.resolve("leave"),
};
