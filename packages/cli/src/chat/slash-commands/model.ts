import { languageModel } from "../../agent/language-model.ts";
import { modelText } from "../../agent/model-text.ts";
import { printable } from "../../terminal/printable.ts";
import type { SlashCommand } from "./slash-command.ts";

export const modelCommand: SlashCommand = {
  name: "model",
  usage: "[ID]",
  summary: "which model answers, or another one",
  run: async ({ session, print }, words) => {
    const { thoughtLevel: before } = session;
    if (words !== "") await session.setModel(languageModel({ id: words, source: "flag" }));
    const isLost = before !== undefined && session.thoughtLevel === undefined;
    print(
      `Model ${printable(modelText(session))}.`,
      ...(isLost ? [`It has no thought level ${before}, its default holds.`] : []),
      ...(words === "" ? ["/model ID takes another one; `acumen models` lists them."] : []),
    );
    return undefined;
  },
};
