import type { CommandContext } from "./command-context.ts";

/** Options of the program itself, which may stand before any command. */
const PROGRAM_OPTIONS: ReadonlySet<string> = new Set(["--no-color"]);
const HELP: ReadonlySet<string> = new Set(["-h", "--help", "--version"]);

/**
 * The command line with the command that is meant when none is named: without a terminal the whole of stdin is one prompt,
 * so it is `run`. On a terminal the line stays as it is.
 */
export function withDefaultCommand(
  args: readonly string[],
  { stdin, stdout }: Pick<CommandContext, "stdin" | "stdout">,
): readonly string[] {
  const own = args.findIndex((word) => !PROGRAM_OPTIONS.has(word));
  const at = own === -1 ? args.length : own;
  const first = args[at];
  const named = first !== undefined && (HELP.has(first) || !first.startsWith("-"));
  if (named) return args;
  if (stdout.isTTY === true && stdin().isTTY === true) return args;
  return [...args.slice(0, at), "run", ...args.slice(at)];
}
