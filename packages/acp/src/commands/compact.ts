import type { HostCommand } from "./host-command.ts";

export const compactCommand: HostCommand = {
  name: "compact",
  description: "Sum up the conversation, to make room",
  run: async ({ session, signal }) => {
    const { compacted, tokensBefore, tokensAfter } = await session.compact({ signal });
    return compacted
      ? `The conversation was compacted: ${tokensBefore} -> ${tokensAfter} tokens.`
      : "There is nothing that could be compacted yet.";
  },
};
