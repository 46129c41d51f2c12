import { languageModel } from "../../agent/language-model.ts";
import { printable } from "../../terminal/printable.ts";
import type { SlashCommand } from "./slash-command.ts";

export const modelCommand: SlashCommand = {
  name: "model",
  usage: "[ID]",
  summary: "which model answers, or another one",
  run: async ({ session, print }, words) => {
    if (words !== "") await session.setModel(languageModel({ id: words, source: "flag" }));
    print(
      `Model ${printable(session.model)}.`,
      ...(words === "" ? ["/model ID takes another one; `acumen models` lists them."] : []),
    );
    return undefined;
  },
};
