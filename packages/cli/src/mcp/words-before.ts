import { cliError } from "../errors.ts";

/**
 * Behind the name of a server nothing stands before `--`: a name of two words would become a command.
 * @param words behind the name, without `--`
 * @param raw everything that was typed
 * @throws CLI_USAGE
 */
export function refuseWordsBefore(words: readonly string[], raw: readonly string[]): void {
  const at = raw.indexOf("--");
  if (at === -1) return;
  const before = words.slice(0, words.length - (raw.length - at - 1));
  if (before.length === 0) return;
  const shown = before.map((word) => JSON.stringify(word)).join(" ");
  throw cliError(
    "CLI_USAGE",
    `Before \`--\` only the name of the server is expected, and options; ${shown} is more. A name is one word.`,
  );
}
