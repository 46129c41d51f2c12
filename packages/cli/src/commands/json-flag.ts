import type { Command } from "commander";

/** What commands share that take no settings file. */
export interface JsonFlagValues {
  readonly json?: boolean;
  /** Of the program itself. */
  readonly color: boolean;
}

export function addJsonFlag(command: Command): Command {
  return command.option("--json", "one JSON line on stdout instead of text");
}
