import { cliError } from "../../errors.ts";
import { THOUGHT_LEVEL_NAMES } from "../../settings/session-names.ts";
import { printable } from "../../terminal/printable.ts";
import type { SlashCommand } from "./slash-command.ts";

const DEFAULT = "default";

export const thoughtCommand: SlashCommand = {
  name: "thought",
  usage: "[LEVEL]",
  summary: "how much the model thinks",
  words: [DEFAULT, ...THOUGHT_LEVEL_NAMES],
  run: async ({ session, print }, words) => {
    const level = THOUGHT_LEVEL_NAMES.find((name) => name === words);
    if (words !== "" && words !== DEFAULT && level === undefined) {
      throw cliError(
        "CLI_USAGE",
        `The thought level is ${DEFAULT} or one of ${THOUGHT_LEVEL_NAMES.join(", ")}.`,
      );
    }
    if (words !== "") await session.setThoughtLevel(level);
    const levels = await session.findThoughtLevels();
    print(
      `Thought level ${session.thoughtLevel ?? DEFAULT}.`,
      levels.length === 0
        ? `None can be chosen for ${printable(session.model)}.`
        : `${printable(session.model)} takes ${[DEFAULT, ...levels].join(", ")}.`,
    );
    return undefined;
  },
};
