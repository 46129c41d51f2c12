import { resolve } from "node:path";
import { Argument, type Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import {
  addSettingFlags,
  type SettingFlagValues,
  terminalOf,
  writeRecord,
} from "./setting-flags.ts";

interface FeedbackFlags extends SettingFlagValues {
  /** Absolute. */
  readonly cwd?: string;
  readonly trustOnce?: boolean;
}

const RATING_NAMES = ["good", "bad"] as const;

export function addFeedbackCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("feedback")
    .summary("say how the last turn of a session went, so that the agent learns")
    .description(
      "Rates the last turn of a session. The skills that had a part in it are counted helpful or harmful, and what the turn " +
        "teaches is proposed as new skills, which wait for `acumen skillbook review` (setting `learning`). " +
        "A rating of a turn counts once, however often it is given; a correction counts beside what it corrects.",
    )
    .argument("<session>", "id of the session, or `last` for the newest of this folder")
    .addArgument(new Argument("<rating>", "how it went").choices(RATING_NAMES))
    .argument("[text...]", "why, in your words")
    .option("--cwd <dir>", "the folder that `last` looks at", (path) => resolve(path))
    .option("--trust-once", "count for the skills of a workspace that is not trusted, too");
  addSettingFlags(command)
    .addHelpText(
      "after",
      '\nExamples:\n  $ acumen feedback last good\n  $ acumen feedback last bad "run the linter before you say it is done"',
    )
    .action(
      async (
        session: string,
        rating: (typeof RATING_NAMES)[number],
        text: string[],
        _flags,
        self: Command,
      ) => {
        const flags = self.optsWithGlobals<FeedbackFlags>();
        const terminal = terminalOf(context, flags);
        const [{ feedbackLines, feedbackRecord }, { rate }] = await Promise.all([
          import("../learning/feedback-lines.ts"),
          import("../learning/rate.ts"),
        ]);
        const rated = await rate(
          { session, rating, text: text.join(" ") },
          {
            context,
            flags,
            onPhase: (phase) => terminal.print(terminal.colours.dim(`${phase} ...`)),
          },
        );
        terminal.print(...feedbackLines(terminal, rated));
        if (flags.json === true)
          writeRecord(context, { command: "feedback", ...feedbackRecord(rated) });
      },
    );
}
