import { RATINGS } from "@acumen/agent";
import { cliError } from "../../errors.ts";
import { feedbackLines, lessonHelp } from "../../learning/feedback-lines.ts";
import { rateTurn } from "../../learning/rate-turn.ts";
import { printable } from "../../terminal/printable.ts";
import type { SlashCommand } from "./slash-command.ts";

export const feedbackCommand: SlashCommand = {
  name: "feedback",
  usage: "good|bad [TEXT]",
  summary: "rate the last turn, so that the agent learns",
  words: RATINGS,
  run: async ({ session, opened, terminal, print, cancellable }, words) => {
    const [first = "", ...rest] = words.split(/\s+/);
    const rating = RATINGS.find((name) => name === first);
    if (rating === undefined) {
      throw cliError("CLI_USAGE", "Say /feedback good or /feedback bad, and why if you like.");
    }
    const result = await cancellable((signal) =>
      rateTurn(opened, {
        cwd: session.workspace.cwd,
        session,
        rating,
        text: rest.join(" "),
        record: (draft) => session.record(draft),
        signal,
        onProgress: (phase) => print(terminal.colours.dim(`${phase} ...`)),
      }),
    );
    print(
      ...feedbackLines(terminal, { sessionId: session.id, rating, result }),
      ...result.problems.map(({ code, message }) => `${code}: ${printable(message)}`),
      ...lessonHelp(result),
    );
    return undefined;
  },
};
