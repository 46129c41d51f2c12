import { Command } from "commander";
import type { CommandContext } from "./command-context.ts";
import { usageError } from "./usage-error.ts";
import { packageVersion } from "./version.ts";

type AddCommand = (program: Command, context: CommandContext) => void;

/** In the order of the help. */
const COMMANDS: Readonly<Record<string, () => Promise<AddCommand>>> = {
  chat: async () => (await import("./commands/chat.ts")).addChatCommand,
  run: async () => (await import("./commands/run.ts")).addRunCommand,
  sessions: async () => (await import("./commands/sessions.ts")).addSessionsCommand,
  skillbook: async () => (await import("./commands/skillbook.ts")).addSkillbookCommand,
  feedback: async () => (await import("./commands/feedback.ts")).addFeedbackCommand,
  trust: async () => (await import("./commands/trust.ts")).addTrustCommand,
  mcp: async () => (await import("./commands/mcp.ts")).addMcpCommand,
  acp: async () => (await import("./commands/acp.ts")).addAcpCommand,
  serve: async () => (await import("./commands/serve.ts")).addServeCommand,
  plan: async () => (await import("./commands/plan.ts")).addPlanCommand,
  token: async () => (await import("./commands/token.ts")).addTokenCommand,
  models: async () => (await import("./commands/models.ts")).addModelsCommand,
  setup: async () => (await import("./commands/setup.ts")).addSetupCommand,
  doctor: async () => (await import("./commands/doctor.ts")).addDoctorCommand,
  tour: async () => (await import("./commands/tour.ts")).addTourCommand,
};

/**
 * The command tree. Commands import what they need when they run, so that `--help` and errors cost nothing.
 * @param line a command that it names without doubt is the only one that is loaded: editors wait for the first answer
 */
export async function createProgram(
  context: CommandContext,
  line: readonly string[],
): Promise<Command> {
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
  const named = line.find((word) => !word.startsWith("-"));
  const only = named !== undefined && Object.hasOwn(COMMANDS, named) ? COMMANDS[named] : undefined;
  const loaded = await Promise.all(
    (only === undefined ? Object.values(COMMANDS) : [only]).map((load) => load()),
  );
  for (const add of loaded) add(program, context);
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
