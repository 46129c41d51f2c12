import { closest } from "@acumen/core";
import { exitCommand } from "./exit.ts";
import { modeCommand } from "./mode.ts";
import type { SlashCommand } from "./slash-command.ts";

/** In the order of `/help`. */
export const SLASH_COMMANDS: readonly SlashCommand[] = [modeCommand, exitCommand];

/** What a line of the chat means. */
export type Meaning =
  | { readonly type: "prompt" }
  | { readonly type: "command"; readonly command: SlashCommand; readonly words: string }
  /** A word that looks like a mistyped command. */
  | { readonly type: "typo"; readonly word: string; readonly meant: string };

/**
 * A `/word` that is a command is carried out. One that is nearly a command, or the beginning of one, gets a suggestion and is
 * not sent: it would cost a turn. Everything else, such as `/etc/hosts`, is a prompt.
 */
export function meaningOf(line: string): Meaning {
  const found = /^\/([A-Za-z][\w-]*)(?:\s+([\s\S]*))?$/.exec(line.trim());
  if (found === null) return { type: "prompt" };
  const [, typed = "", words = ""] = found;
  const word = typed.toLowerCase();
  const command = SLASH_COMMANDS.find(
    ({ name, aliases = [] }) => name === word || aliases.includes(word),
  );
  if (command !== undefined) return { type: "command", command, words: words.trim() };
  const names = SLASH_COMMANDS.map(({ name }) => name);
  const meant =
    (word.length > 1 ? names.find((name) => name.startsWith(word)) : undefined) ??
    closest(word, names);
  return meant === undefined ? { type: "prompt" } : { type: "typo", word: typed, meant };
}
