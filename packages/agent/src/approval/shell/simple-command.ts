/** Outside quotes; everything else there might mean something to the shell. */
const PLAIN = /[\p{L}\p{M}\p{N}_@%+=:,./^!#-]/u;
/** Even inside quotes: `$`, backtick and `~` begin expansions; controls and what nobody sees are not what they look like. */
const NEVER = /[$`~\p{Cc}\p{Cs}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
const MAX_CHARS = 65_536;
/** In double quotes, a backslash before another character stands for itself. */
const ESCAPED_IN_QUOTES = new Set(['"', "\\"]);
const ASSIGNMENT = /^[\p{L}_][\p{L}\p{N}_]*(?:\[[^\]]*\])?\+?=/u;
const RESERVED = new Set(
  "! case coproc do done elif else esac fi for function if in select then time until while [[ ]]".split(
    " ",
  ),
);

/**
 * The words of a command that does exactly what they say: no operator, expansion, redirection, here-document, glob, brace, `~`,
 * comment, leading `NAME=value` or line break. Undefined for every other command, and for one that cannot be read for certain.
 */
export function simpleWords(command: string): readonly string[] | undefined {
  if (command.length > MAX_CHARS || NEVER.test(command.replaceAll("\t", " "))) return undefined;
  const words = splitWords(command);
  const first = words?.[0];
  if (first === undefined || first.text === "" || ASSIGNMENT.test(first.text)) return undefined;
  if (RESERVED.has(first.text)) return undefined;
  return words?.map(({ text }) => text);
}

interface Word {
  text: string;
}

function splitWords(command: string): readonly Word[] | undefined {
  const words: Word[] = [];
  let current: Word | undefined;
  const characters = Array.from(command);
  for (let index = 0; index < characters.length; index += 1) {
    const character = characters[index] ?? "";
    if (character === " " || character === "\t") {
      current = undefined;
      continue;
    }
    // A comment hides the rest of the line from the shell, but not from a reader.
    if (character === "#" && current === undefined) return undefined;
    if (current === undefined) {
      current = { text: "" };
      words.push(current);
    }
    if (character === "'" || character === '"') {
      const quoted = readQuoted(characters, index);
      if (quoted === undefined) return undefined;
      current.text += quoted.text;
      index = quoted.end;
    } else if (character === "\\") {
      const next = characters[index + 1];
      if (next === undefined) return undefined;
      current.text += next;
      index += 1;
    } else if (PLAIN.test(character)) current.text += character;
    else return undefined;
  }
  return words;
}

/** `start` is at the quote; `end` at its partner. */
function readQuoted(
  characters: readonly string[],
  start: number,
): { readonly text: string; readonly end: number } | undefined {
  const quote = characters[start];
  let text = "";
  for (let index = start + 1; index < characters.length; index += 1) {
    const character = characters[index] ?? "";
    if (character === quote) return { text, end: index };
    const next = characters[index + 1] ?? "";
    if (quote === '"' && character === "\\" && ESCAPED_IN_QUOTES.has(next)) {
      text += next;
      index += 1;
    } else text += character;
  }
  return undefined;
}
