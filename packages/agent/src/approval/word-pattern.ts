import { aliasesOf } from "./option-alias.ts";
import type { RuleMatch } from "./rule-match.ts";
import { programName } from "./shell/program-name.ts";
import type { ShellWord } from "./shell/shell-word.ts";

/**
 * Whether words are of a deny or ask rule's pattern, also when they are written in another way: the program by another path, in
 * other letter case, options in another order, place, cluster or length, further options (with values) between the words.
 */
export function findPattern(
  pattern: readonly string[],
  rest: boolean,
  words: readonly ShellWord[],
): RuleMatch {
  const [program, ...wanted] = pattern;
  const [first, ...args] = words;
  if (program === undefined) return "yes";
  if (first === undefined) return "no";
  if (!first.exact) return "maybe";
  if (programName(program) !== programName(first.text)) return "no";
  const unseen = args.findIndex(({ exact }) => !exact);
  const seen = (unseen === -1 ? args : args.slice(0, unseen)).map(({ text }) => text);
  const positional = wanted.filter((word) => !isOption(word));
  const found = followWords(positional, rest, seen);
  if (found === "no") return "no";
  const exact = args.flatMap((word) => (word.exact ? [word.text] : []));
  const aliases = aliasesOf([program, ...positional].map(programName));
  const options = wanted.filter(isOption).every((option) => hasOption(option, exact, aliases));
  if (unseen === -1) return found === "whole" && options ? "yes" : "no";
  return found === "whole" && rest && options ? "yes" : "maybe";
}

/**
 * Follows the pattern's words through a command's; each word behind an option may be its value. `begun`: the command would have
 * to go on.
 */
function followWords(
  pattern: readonly string[],
  rest: boolean,
  words: readonly string[],
): "whole" | "begun" | "no" {
  let reached = new Set([0]);
  let afterOption = false;
  for (const word of words) {
    if (rest && reached.has(pattern.length)) return "whole";
    if (!isOption(word)) {
      const next = new Set(afterOption ? reached : []);
      for (const index of reached) if (pattern[index] === word) next.add(index + 1);
      reached = next;
    }
    if (reached.size === 0) return "no";
    afterOption = isOption(word) && !word.includes("=");
  }
  return reached.has(pattern.length) ? "whole" : "begun";
}

/** `--name` also begun, with a value or as its letter; letters also in other clusters or as their names. */
function hasOption(
  option: string,
  words: readonly string[],
  aliases: (option: string) => readonly string[],
): boolean {
  if (words.some((word) => word === option || word.startsWith(`${option}=`))) return true;
  const wanted = /^-[A-Za-z]{1,3}$/u.test(option)
    ? Array.from(option.slice(1), (letter) => `-${letter}`)
    : [option];
  const letters = words.filter((word) => /^-[A-Za-z]/u.test(word)).join("");
  return wanted.every((one) =>
    aliases(one).some((alias) => {
      if (!alias.startsWith("-")) return words.some((word) => word.startsWith(alias));
      if (alias.startsWith("--")) return words.some((word) => begins(alias, word));
      return alias.length === 2 && letters.includes(alias.slice(1));
    }),
  );
}

/** Most programs take a long option also when it is only begun. */
function begins(option: string, word: string): boolean {
  const name = word.split("=", 1)[0] ?? "";
  return name.length > 2 && option.startsWith(name);
}

function isOption(word: string): boolean {
  return /^-./u.test(word);
}
