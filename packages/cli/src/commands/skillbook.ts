import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { createTerminal, type Terminal } from "../terminal/terminal.ts";
import { limitOf } from "./limit.ts";
import { addReview } from "./skillbook-review.ts";

interface SharedFlags {
  readonly json?: boolean;
  readonly limit: number;
  /** Of the program itself. */
  readonly color: boolean;
}

interface ShowFlags extends SharedFlags {
  readonly section?: string;
  readonly all?: boolean;
}

export function addSkillbookCommand(program: Command, context: CommandContext): void {
  const skillbook = program
    .command("skillbook")
    .summary("look at skillbook files, review proposed skills")
    .description(
      "Looks at skillbook files, ours and those of the Python original, and reviews what the agent proposes for its own.",
    )
    .addHelpText(
      "after",
      "\nExamples:\n  $ acumen skillbook show team.json --limit 5\n  $ acumen skillbook review",
    );
  addShow(skillbook, context);
  addStats(skillbook, context);
  addDiff(skillbook, context);
  addReview(skillbook, context);
}

function addShow(skillbook: Command, context: CommandContext): void {
  skillbook
    .command("show")
    .summary("print the skills of a file, best first")
    .description("Prints the skills of each file, best first: helpful - harmful, then the newest.")
    .argument("<file...>", "skillbook files")
    .option("--limit <n>", "most skills of each file", limitOf, 20)
    .option("--section <name>", "only the skills of one section")
    .option("--all", "removed skills too")
    .option("--json", "one JSON line instead of text")
    .addHelpText("after", "\nExample:\n  $ acumen skillbook show team.json --section payments")
    .action(async (paths: string[], _flags, command: Command) => {
      const flags = command.optsWithGlobals<ShowFlags>();
      const { openBook } = await import("../skillbook/book-file.ts");
      const { showLines, showRecord } = await import("../skillbook/show.ts");
      const files = await Promise.all(paths.map(openBook));
      print(context, flags, {
        record: () => ({
          command: "skillbook show",
          files: files.map((file) => showRecord(file, flags)),
        }),
        lines: (terminal) => separated(files.map((file) => showLines(terminal, file, flags))),
      });
    });
}

function addStats(skillbook: Command, context: CommandContext): void {
  skillbook
    .command("stats")
    .summary("count the skills, sections and tags of a file")
    .description("Counts the skills, sections and tags of each file, the largest section first.")
    .argument("<file...>", "skillbook files")
    .option("--limit <n>", "most sections of each file", limitOf, 20)
    .option("--json", "one JSON line instead of text")
    .addHelpText("after", "\nExample:\n  $ acumen skillbook stats team.json --json")
    .action(async (paths: string[], _flags, command: Command) => {
      const flags = command.optsWithGlobals<SharedFlags>();
      const { openBook } = await import("../skillbook/book-file.ts");
      const { statsLines, statsOf } = await import("../skillbook/stats.ts");
      const files = await Promise.all(paths.map(openBook));
      print(context, flags, {
        record: () => ({ command: "skillbook stats", files: files.map(statsOf) }),
        lines: (terminal) =>
          separated(files.map((file) => statsLines(terminal, file, flags.limit))),
      });
    });
}

function addDiff(skillbook: Command, context: CommandContext): void {
  skillbook
    .command("diff")
    .summary("compare two files skill by skill")
    .description("Compares two states of a skillbook: skills added, removed and changed.")
    .argument("<before>", "skillbook file")
    .argument("<after>", "skillbook file")
    .option("--limit <n>", "most skills of each kind of change", limitOf, 20)
    .option("--json", "one JSON line instead of text")
    .addHelpText("after", "\nExample:\n  $ acumen skillbook diff monday.json friday.json")
    .action(async (before: string, after: string, _flags, command: Command) => {
      const flags = command.optsWithGlobals<SharedFlags>();
      const { openBook } = await import("../skillbook/book-file.ts");
      const { diffLines, diffRecord } = await import("../skillbook/diff.ts");
      const [old, current] = await Promise.all([openBook(before), openBook(after)]);
      print(context, flags, {
        record: () => ({ command: "skillbook diff", ...diffRecord(old, current, flags.limit) }),
        lines: (terminal) => diffLines(terminal, old, current, flags.limit),
      });
    });
}

function print(
  { stdout, environment }: CommandContext,
  flags: SharedFlags,
  view: {
    readonly record: () => Readonly<Record<string, unknown>>;
    readonly lines: (terminal: Terminal) => readonly string[];
  },
): void {
  if (flags.json) {
    stdout.write(`${JSON.stringify({ type: "result", ...view.record() })}\n`);
    return;
  }
  const terminal = createTerminal(stdout, { color: environment.color && flags.color });
  terminal.print(...view.lines(terminal));
}

function separated(blocks: readonly string[][]): string[] {
  return blocks.flatMap((lines, index) => (index === 0 ? lines : ["", ...lines]));
}
