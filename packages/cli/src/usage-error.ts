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
  const help = `Try \`${pathOf(command)} --help\`.`;
  const hint = hintFor(failure, command);
  return cliError("CLI_USAGE", `${text} ${hint}${help}`, { cause: failure });
}

function hintFor(failure: CommanderError, command: Command): string {
  if (isPrompt(failure, command)) return 'Did you mean `acumen run "…"`? ';
  const isForServer =
    failure.code === "commander.unknownOption" && pathOf(command) === "acumen mcp add";
  return isForServer && !failure.message.includes("Did you mean")
    ? "Options of the server's own command stand behind `--`. "
    : "";
}

/** Words instead of a command are probably what the agent is asked, unless they are near to a command. */
function isPrompt({ code, message }: CommanderError, { args, parent }: Command): boolean {
  if (code !== "commander.unknownCommand" || parent !== null) return false;
  return args.join(" ").trim().includes(" ") && !message.includes("Did you mean");
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
