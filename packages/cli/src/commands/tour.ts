import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { createTerminal } from "../terminal/terminal.ts";

interface TourFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
  /** Of the program itself. */
  readonly color: boolean;
}

export function addTourCommand(program: Command, context: CommandContext): void {
  program
    .command("tour")
    .summary("watch an agent learn, and a coding agent mend a test (no key, no network)")
    .description(
      "Starts ace-mcp as a child process, asks it support tickets it has never seen, teaches it others, asks again, and " +
        "checks that a new process with the saved skillbook answers the same. Then the coding agent, its model played from a " +
        "script, mends a failing test in a temporary git repository, is rated, and uses what it learned in the next " +
        "session; it uses the tools of an MCP server, and the tour drives it as an editor and, over HTTP, as an orchestrator " +
        "does. Takes well under a minute, needs git, no key and no network. Exit code 1 when too little was learned, anything was lost, or the test was " +
        "not mended.",
    )
    .option("--json", "print the result as one JSON line on stdout; the report goes to stderr")
    .option("--quiet", "print the verdict only")
    .addHelpText("after", "\nExamples:\n  $ acumen tour\n  $ acumen tour --quiet --json")
    .action(async (_flags, command: Command) => {
      await tour(command.optsWithGlobals<TourFlags>(), context);
    });
}

async function tour(flags: TourFlags, context: CommandContext): Promise<void> {
  const { stdout, stderr, environment, signal } = context;
  const stream = flags.json ? stderr : stdout;
  const terminal = createTerminal(stream, { color: environment.color && flags.color });
  const listener = flags.quiet ? createTerminal({ write: () => true }, { color: false }) : terminal;
  // Before anything is loaded, so that a person sees at once that something happens.
  listener.print(
    terminal.colours.bold("Acumen tour: agents that learn from their work, in five acts"),
    "",
  );
  const [
    { runTour },
    { loadDataset },
    { aceServerCommand, acumenCommand },
    { concludeTour },
    { nextLines },
    progress,
  ] = await Promise.all([
    import("../tour/tour.ts"),
    import("../tour/dataset.ts"),
    import("../tour/server-command.ts"),
    import("../tour/conclusion.ts"),
    import("../tour/report.ts"),
    import("../terminal/progress.ts"),
  ]);
  const dataset = await loadDataset();
  const result = await runTour({
    dataset,
    command: aceServerCommand(),
    acumenCommand: acumenCommand(),
    variables: environment.variables,
    terminal: listener,
    startProgress: flags.quiet ? progress.silentProgress : progress.progressOn(terminal),
    signal,
  });
  listener.print("");
  const summary = concludeTour(terminal, dataset, result);
  listener.print(...nextLines(terminal));
  if (flags.json) stdout.write(`${JSON.stringify(summary)}\n`);
}
