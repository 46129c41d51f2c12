import { createRedactor, giveFeedback, RATINGS } from "@acumen/agent";
import { secretValues } from "../../agent/secret-values.ts";
import { cliError } from "../../errors.ts";
import { feedbackLines, lessonHelp } from "../../learning/feedback-lines.ts";
import { refuseLearning } from "../../learning/refuse-learning.ts";
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
    const { loaded, trust } = opened;
    const workspace = await opened.workspace(session.workspace.cwd);
    refuseLearning(loaded.variables, workspace.settings.learning.mode);
    const result = await cancellable((signal) =>
      giveFeedback({
        home: loaded.home.folder,
        workspace,
        session,
        rating,
        text: rest.join(" "),
        learning: workspace.settings.learning,
        resolveModel: (id) => opened.resolveModel(id),
        redact: createRedactor(secretValues(loaded)),
        record: (draft) => session.record(draft),
        trust,
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
