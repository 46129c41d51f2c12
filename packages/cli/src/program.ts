import { Command } from "commander";
import type { CommandContext } from "./command-context.ts";
import { addAcpCommand } from "./commands/acp.ts";
import { addChatCommand } from "./commands/chat.ts";
import { addDoctorCommand } from "./commands/doctor.ts";
import { addFeedbackCommand } from "./commands/feedback.ts";
import { addMcpCommand } from "./commands/mcp.ts";
import { addModelsCommand } from "./commands/models.ts";
import { addRunCommand } from "./commands/run.ts";
import { addSessionsCommand } from "./commands/sessions.ts";
import { addSetupCommand } from "./commands/setup.ts";
import { addSkillbookCommand } from "./commands/skillbook.ts";
import { addTourCommand } from "./commands/tour.ts";
import { addTrustCommand } from "./commands/trust.ts";
import { usageError } from "./usage-error.ts";
import { packageVersion } from "./version.ts";

/** The command tree. Commands import what they need when they run, so that `--help` and errors cost nothing. */
export function createProgram(context: CommandContext): Command {
  const program = new Command("acumen")
    .description("An agent that learns from its own work: readable skills, kept in a skillbook.")
    .version(packageVersion(), "--version", "print the version")
    .helpOption("-h, --help", "explain a command")
    .helpCommand("help [command]", "explain a command")
    .option("--no-color", "never colour the output (NO_COLOR does the same)")
    // Names alone: with their arguments they would leave no room for what they do.
    .configureHelp({ showGlobalOptions: true, subcommandTerm: (command) => command.name() })
    .addHelpText(
      "after",
      '\nExamples:\n  $ acumen setup\n  $ acumen --continue\n  $ acumen run "why does npm test fail?"\n  $ git diff | acumen run "review this"\n\n' +
        "Without a command: a chat in this folder; without a terminal, stdin is the\nprompt of `acumen run`.\n\n" +
        "Exit codes: 0 done, 1 failed, 2 usage, configuration or no credentials,\n" +
        "3 refused or the turn ended blocked, 4 a limit ended the turn, 128 + signal.\n" +
        "Errors are one line on stderr, `acumen: CODE: message`; ACUMEN_LOG=debug adds\nthe stack.",
    );
  addChatCommand(program, context);
  addRunCommand(program, context);
  addSessionsCommand(program, context);
  addSkillbookCommand(program, context);
  addFeedbackCommand(program, context);
  addTrustCommand(program, context);
  addMcpCommand(program, context);
  addAcpCommand(program, context);
  addModelsCommand(program, context);
  addSetupCommand(program, context);
  addDoctorCommand(program, context);
  addTourCommand(program, context);
  return configured(program, context);
}

/** Settings that commander copies to no subcommand that was added ready-made, so they are set on the whole tree. */
function configured(command: Command, context: CommandContext): Command {
  command.showSuggestionAfterError(true).exitOverride((failure) => {
    throw failure.exitCode === 0 ? failure : usageError(failure, command);
  });
  command.configureOutput({
    writeOut: (text) => context.stdout.write(text),
    writeErr: (text) => context.stderr.write(text),
    // Errors are written once, as one line, where the exit code is decided.
    outputError: () => undefined,
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  });
  for (const child of command.commands) configured(child, context);
  return command;
}
