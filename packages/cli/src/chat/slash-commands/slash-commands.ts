import { closest } from "@acumen/core";
import { compactCommand } from "./compact.ts";
import { diffCommand } from "./diff.ts";
import { exitCommand } from "./exit.ts";
import { feedbackCommand } from "./feedback.ts";
import { helpCommand } from "./help.ts";
import { mcpCommand } from "./mcp.ts";
import { modeCommand } from "./mode.ts";
import { modelCommand } from "./model.ts";
import { newCommand } from "./new.ts";
import { permissionsCommand } from "./permissions.ts";
import { planCommand } from "./plan.ts";
import { resumeCommand } from "./resume.ts";
import { sessionsCommand } from "./sessions.ts";
import { skillsCommand } from "./skills.ts";
import { statusCommand } from "./status.ts";
import { thoughtCommand } from "./thought.ts";
import { trustCommand } from "./trust.ts";
import { undoCommand } from "./undo.ts";
import type { SlashCommand } from "./slash-command.ts";

/** In the order of `/help`. */
export const SLASH_COMMANDS: readonly SlashCommand[] = [
  helpCommand(() => SLASH_COMMANDS),
  statusCommand,
  modelCommand,
  thoughtCommand,
  modeCommand,
  compactCommand,
  planCommand,
  diffCommand,
  undoCommand,
  skillsCommand,
  feedbackCommand,
  permissionsCommand,
  mcpCommand,
  trustCommand,
  sessionsCommand,
  resumeCommand,
  newCommand,
  exitCommand,
];

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
