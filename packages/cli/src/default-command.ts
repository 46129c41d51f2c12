import type { CommandContext } from "./command-context.ts";

/** Options of the program itself, which may stand before any command. */
const PROGRAM_OPTIONS: ReadonlySet<string> = new Set(["--no-color"]);
const HELP: ReadonlySet<string> = new Set(["-h", "--help", "--version"]);

/**
 * The command line with the command that is meant when none is named: on a terminal it is `chat`; without one the whole of
 * stdin is one prompt, so it is `run`.
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
  const meant = stdout.isTTY === true && stdin().isTTY === true ? "chat" : "run";
  return [...args.slice(0, at), meant, ...args.slice(at)];
}
