import type { AcumenError } from "@acumen/core";
import type { Command, CommanderError } from "commander";
import { cliError } from "./errors.ts";
import { printable } from "./terminal/printable.ts";

/** Commander's complaint as one line that ends with the help of the command that complained. */
export function usageError(failure: CommanderError, command: Command): AcumenError {
  // The help stands above this line already.
  if (failure.code === "commander.help") {
    return cliError("CLI_USAGE", "A command is missing.", { cause: failure });
  }
  const text = sentences(printable(failure.message.replace(/^error: /, "")));
  return cliError("CLI_USAGE", `${text} Try \`${pathOf(command)} --help\`.`, { cause: failure });
}

/** `acumen skillbook show` */
function pathOf(command: Command): string {
  const { parent } = command;
  return parent === null ? command.name() : `${pathOf(parent)} ${command.name()}`;
}

function sentences(line: string): string {
  const text = line.replace(/\s*\((Did you mean [^)]*\?)\)$/, ". $1");
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.?!)]$/.test(capital) ? capital : `${capital}.`;
}
