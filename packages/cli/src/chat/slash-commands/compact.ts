import type { SlashCommand } from "./slash-command.ts";

export const compactCommand: SlashCommand = {
  name: "compact",
  summary: "sum up the conversation, to make room",
  run: async ({ session, print, cancellable }) => {
    const { compacted, tokensBefore, tokensAfter } = await cancellable((signal) =>
      session.compact({ signal }),
    );
    print(
      compacted
        ? `The conversation was compacted: ${tokensBefore} -> ${tokensAfter} tokens.`
        : "There is nothing that could be compacted yet.",
    );
    return undefined;
  },
};
