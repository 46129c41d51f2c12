import { resolve } from "node:path";
import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { createTerminal, type Terminal } from "../terminal/terminal.ts";

/** What the commands around models share. */
export interface SettingFlagValues {
  readonly config?: string;
  readonly json?: boolean;
  /** Of the program itself. */
  readonly color: boolean;
}

export function addSettingFlags(command: Command): Command {
  return command
    .option("--config <file>", "settings file instead of $ACUMEN_HOME/config.json", (path) =>
      resolve(path),
    )
    .option("--json", "one JSON line on stdout instead of text");
}

/** Text for people: on stdout, and nowhere under `--json`. */
export function terminalOf(
  { stdout, environment }: CommandContext,
  { json, color }: SettingFlagValues,
): Terminal {
  const stream = json === true ? { write: () => true } : stdout;
  return createTerminal(stream, { color: environment.color && color });
}

/** The one line for machines. */
export function writeRecord(
  { stdout }: CommandContext,
  record: Readonly<Record<string, unknown>>,
): void {
  stdout.write(`${JSON.stringify({ type: "result", ...record })}\n`);
}
