import { AcumenError } from "@acumen/core";
import type { CommandContext } from "./command-context.ts";
import { type Environment, readEnvironment } from "./environment.ts";
import { cliError } from "./errors.ts";
import { EXIT_CODES, exitCodeOf } from "./exit-code.ts";
import { createProgram } from "./program.ts";
import { printable } from "./terminal/printable.ts";

export type MainOptions = Omit<CommandContext, "environment" | "stdin"> & {
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
  try {
    environment = readEnvironment(options.variables);
    const { stdin = () => process.stdin } = options;
    await createProgram({ ...options, stdin, environment }).parseAsync(args, { from: "user" });
    return EXIT_CODES.done;
  } catch (cause) {
    const error = codedError(cause, options.signal);
    if (!error) return EXIT_CODES.done;
    // Whoever closed the pipe wanted to see no more.
    if (error.details["signal"] !== "SIGPIPE") {
      report(error, args, options, environment?.logLevel === "debug");
    }
    return exitCodeOf(error);
  }
}

/** `undefined` for commander's way of saying that help or the version was printed. */
function codedError(cause: unknown, signal: AbortSignal): AcumenError | undefined {
  if (signal.aborted && AcumenError.isInstance(signal.reason)) return signal.reason;
  if (AcumenError.isInstance(cause)) return cause;
  if (isHelpShown(cause)) return undefined;
  const message = cause instanceof Error ? cause.message : String(cause);
  return cliError("CLI_INTERNAL", message, { cause });
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

function report(
  error: AcumenError,
  args: readonly string[],
  { stdout, stderr }: MainOptions,
  debug: boolean,
): void {
  const message = printable(error.message);
  stderr.write(`acumen: ${error.code}: ${message}\n`);
  if (debug) stderr.write(`${stackOf(error)}\n`);
  const options = args.includes("--") ? args.slice(0, args.indexOf("--")) : args;
  if (!options.includes("--json")) return;
  const { code, details } = error;
  stdout.write(`${JSON.stringify({ type: "result", error: { code, message, details } })}\n`);
}

function stackOf(error: Error): string {
  const { cause } = error;
  const own = error.stack ?? error.message;
  return cause instanceof Error ? `${own}\ncaused by ${stackOf(cause)}` : own;
}
