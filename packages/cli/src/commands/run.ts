import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { createTerminal } from "../terminal/terminal.ts";
import { addSessionFlags, type SessionFlagValues } from "./session-flags.ts";

export interface RunFlags extends SessionFlagValues {
  readonly deltas?: boolean;
  readonly quiet?: boolean;
}

export function addRunCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("run")
    .summary("give the agent one prompt and print its answer")
    .description(
      "Runs one turn in this folder and prints the final text on stdout; progress goes to stderr. Without words, or with " +
        "`-`, stdin is the prompt; with words, what is piped in is attached to them. On a terminal it asks before a call " +
        "that needs your approval; without one such a call is rejected. " +
        "Exit codes: 0 done, 1 failed, 2 usage or no credentials, 3 blocked or refused, 4 a limit, 128 + signal.",
    )
    .argument("[prompt...]", "the prompt; `@path` attaches a file");
  addSessionFlags(command)
    .option("--deltas", "with --json: pieces of text as they come, too")
    .option("--quiet", "no progress on stderr")
    .addHelpText(
      "after",
      '\nExamples:\n  $ acumen run "why does npm test fail?"\n  $ git diff | acumen run "review this"\n' +
        '  $ acumen run --mode auto --trust-once --json "fix the failing test"',
    )
    .action(async (words: string[], _flags, self: Command) => {
      await run(words, self.optsWithGlobals<RunFlags>(), context);
    });
}

async function run(
  words: readonly string[],
  flags: RunFlags,
  context: CommandContext,
): Promise<void> {
  const { stderr, environment } = context;
  const stream = flags.quiet === true ? { write: () => true } : stderr;
  const terminal = createTerminal(stream, { color: environment.color && flags.color });
  // Before anything is loaded, so that a person sees at once that something happens.
  terminal.print(terminal.colours.dim("Acumen starts ..."));
  const { runTurn } = await import("../run/run-turn.ts");
  await runTurn(words, { flags, context, terminal });
}
