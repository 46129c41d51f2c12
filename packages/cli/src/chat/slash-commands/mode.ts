import { cliError } from "../../errors.ts";
import { refuseAuto } from "../../refuse-agent.ts";
import { MODE_NAMES } from "../../settings/session-names.ts";
import type { SlashCommand } from "./slash-command.ts";

const MEANINGS = {
  auto: "nothing is asked",
  safe: "reads run, everything else is asked",
  manual: "everything is asked",
} as const;

export const modeCommand: SlashCommand = {
  name: "mode",
  usage: "[auto|safe|manual]",
  summary: "what runs without asking",
  words: MODE_NAMES,
  run: async ({ session, opened, print }, words) => {
    const mode = MODE_NAMES.find((name) => name === words);
    if (words !== "" && mode === undefined) {
      throw cliError("CLI_USAGE", `The mode is one of ${MODE_NAMES.join(", ")}.`);
    }
    refuseAuto(opened.loaded.variables, mode);
    if (mode !== undefined) await session.setMode(mode);
    const { mode: chosen, effectiveMode: holds } = session;
    print(
      `Mode ${chosen}: ${MEANINGS[chosen]}.`,
      ...(chosen === holds
        ? []
        : [`Here it acts as ${holds}, because the folder is not trusted; see /trust.`]),
    );
    return undefined;
  },
};
