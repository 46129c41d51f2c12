import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { cliError } from "../errors.ts";
import { createTerminal } from "../terminal/terminal.ts";
import { packageVersion } from "../version.ts";
import { addSessionFlags, type SessionFlagValues } from "./session-flags.ts";

export interface ChatFlags extends SessionFlagValues {
  readonly quiet?: boolean;
}

export function addChatCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("chat")
    .summary("talk with the agent in this folder (what `acumen` alone does)")
    .description(
      "Opens a chat in this folder. Answers appear while they are made, each call of a tool is a line, and what needs your " +
        "approval is asked. Ctrl-C cancels what runs; on an empty line it leaves when pressed twice, and so does Ctrl-D. " +
        "`/help` lists what the chat itself can do.",
    );
  addSessionFlags(command)
    .option("--quiet", "no heading, no hints, no counts")
    .addHelpText(
      "after",
      "\nExamples:\n  $ acumen --continue\n  $ acumen --cwd ../site\n  $ acumen --model anthropic/claude-sonnet-4-5 --mode manual",
    )
    .action(async (_flags, self: Command) => {
      await chat(self.optsWithGlobals<ChatFlags>(), context);
    });
  // There is nothing for machines in a chat; said when it is asked for.
  command.options.find(({ long }) => long === "--json")?.hideHelp();
}

async function chat(flags: ChatFlags, context: CommandContext): Promise<void> {
  const { stdout, stdin, environment } = context;
  if (flags.json === true) {
    throw cliError("CLI_USAGE", "A chat is for people. Use `acumen run --json` for machines.");
  }
  if (stdout.isTTY !== true || stdin().isTTY !== true) {
    throw cliError("CLI_USAGE", "A chat needs a terminal. Use `acumen run` without one.");
  }
  const terminal = createTerminal(stdout, { color: environment.color && flags.color });
  // Before anything is loaded, so that a person sees at once that something happens.
  if (flags.quiet !== true) terminal.print(terminal.colours.bold(`Acumen ${packageVersion()}`));
  const { startChat } = await import("../chat/chat.ts");
  await startChat({ flags, context, terminal });
}
