import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { refuseAgent } from "../refuse-agent.ts";
import { addJsonFlag, type JsonFlagValues } from "./json-flag.ts";
import { terminalOf, writeRecord } from "./setting-flags.ts";

interface ReviewFlags extends JsonFlagValues {
  readonly accept?: readonly string[];
  readonly reject?: readonly string[];
}

export function addReview(skillbook: Command, context: CommandContext): void {
  const command = skillbook
    .command("review")
    .summary("accept or refuse skills that rated turns proposed")
    .description(
      "Shows the proposed skills with their evidence and what they would change, and carries out what you decide. Accepted " +
        "ones go into $ACUMEN_HOME/skillbook.json and are used from the next turn on; refused ones are not proposed again.",
    )
    .option("--accept <id...>", "take these into the skillbook; `all` takes all")
    .option("--reject <id...>", "refuse these; `all` refuses all");
  addJsonFlag(command)
    .addHelpText(
      "after",
      "\nExamples:\n  $ acumen skillbook review\n  $ acumen skillbook review --accept p-00001 --reject p-00002",
    )
    .action(async (_flags, self: Command) => {
      refuseAgent(context.environment.variables, "acumen skillbook review");
      const flags = self.optsWithGlobals<ReviewFlags>();
      const { review, reviewLines, reviewRecord } = await import("../learning/review.ts");
      const reviewed = await review(context, flags);
      const terminal = terminalOf(context, flags);
      terminal.print(...reviewLines(terminal, reviewed));
      if (flags.json === true) {
        writeRecord(context, { command: "skillbook review", ...reviewRecord(reviewed) });
      }
    });
}
