import { tableLines } from "../../terminal/table.ts";
import type { SlashCommand } from "./slash-command.ts";

const SUMMARY_WIDTH = 48;

/** @param commands all of them, this one too */
export function helpCommand(commands: () => readonly SlashCommand[]): SlashCommand {
  return {
    name: "help",
    summary: "this list",
    run: ({ print, terminal }) => {
      const rows = commands().map(({ name, usage, summary }) => [
        `/${name}${usage === undefined ? "" : ` ${usage}`}`,
        summary,
      ]);
      const columns = [{ title: "command" }, { title: "does", width: SUMMARY_WIDTH }];
      print(
        ...tableLines(columns, rows, terminal.width),
        "",
        "@path attaches a file; Tab completes commands and paths.",
        "A \\ at the end goes on with the next line; a paste is one prompt.",
        "Ctrl-C cancels what runs, and leaves on an empty line when pressed twice.",
      );
      return Promise.resolve(undefined);
    },
  };
}
