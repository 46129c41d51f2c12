import type { AcumenError } from "@acumen/core";
import { codedError, isReaderGone } from "./coded-error.ts";
import { plainFlags } from "./acp/plain-flags.ts";
import type { CommandContext, CommandEnding } from "./command-context.ts";
import { withDefaultCommand } from "./default-command.ts";
import { type Environment, readEnvironment } from "./environment.ts";
import { EXIT_CODES, exitCodeOf } from "./exit-code.ts";
import { printable } from "./terminal/printable.ts";

export type MainOptions = Omit<CommandContext, "ending" | "environment" | "stdin"> & {
  readonly stdin?: CommandContext["stdin"];
  readonly variables?: Readonly<Record<string, string | undefined>>;
};

/**
 * Runs one command line. Never rejects: a failure is written as one line on stderr, and with `--json` also as the last
 * line of stdout.
 * @param args the words after the program's name
 * @returns the exit code
 */
export async function main(args: readonly string[], options: MainOptions): Promise<number> {
  let environment: Environment | undefined;
  const ending: CommandEnding = { exitCode: EXIT_CODES.done, resultWritten: false };
  try {
    environment = readEnvironment(options.variables);
    const { stdin = () => process.stdin } = options;
    await runLine(args, { ...options, stdin, environment, ending });
    return ending.exitCode;
  } catch (cause) {
    // Commander's way of saying that help or the version was printed.
    if (isHelpShown(cause) && !options.signal.aborted) return EXIT_CODES.done;
    const error = codedError(cause, options.signal);
    if (!isReaderGone(error)) {
      report(error, options, environment?.logLevel === "debug");
      if (!ending.resultWritten) reportToMachines(error, args, options);
    }
    return exitCodeOf(error);
  }
}

async function runLine(args: readonly string[], context: CommandContext): Promise<void> {
  const flags = plainFlags(args);
  if (flags !== undefined) {
    const { serveHost } = await import("./acp/serve-host.ts");
    return serveHost(flags, context);
  }
  const line = withDefaultCommand(args, context);
  const { createProgram } = await import("./program.ts");
  const program = await createProgram(context, line);
  await program.parseAsync(line, { from: "user" });
}

/** By its fields, because commander is loaded with the program and not here. */
function isHelpShown(value: unknown): boolean {
  return (
    value instanceof Error &&
    "code" in value &&
    String(value.code).startsWith("commander.") &&
    "exitCode" in value &&
    value.exitCode === 0
  );
}

function report(error: AcumenError, { stderr }: MainOptions, debug: boolean): void {
  stderr.write(`acumen: ${error.code}: ${printable(error.message)}\n`);
  if (debug) stderr.write(`${stackOf(error)}\n`);
}

function reportToMachines(
  { code, details, message: text }: AcumenError,
  args: readonly string[],
  { stdout }: MainOptions,
): void {
  const options = args.includes("--") ? args.slice(0, args.indexOf("--")) : args;
  if (!options.includes("--json")) return;
  const error = { code, message: printable(text), details };
  stdout.write(`${JSON.stringify({ type: "result", error })}\n`);
}

function stackOf(error: Error): string {
  const { cause } = error;
  const own = error.stack ?? error.message;
  return cause instanceof Error ? `${own}\ncaused by ${stackOf(cause)}` : own;
}
