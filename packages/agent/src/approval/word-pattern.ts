import type { RuleMatch } from "./rule-match.ts";
import { programName } from "./shell/program-name.ts";
import type { ShellWord } from "./shell/shell-word.ts";

/**
 * Whether words are of a deny or ask rule's pattern, also when they are written in another way: the program by another path, in
 * other letter case, options in another order, place or cluster, further options (with values) between the words.
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
  const options = wanted.filter(isOption).every((option) => hasOption(option, exact));
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

/** `--name` also as `--name=value`, letters also in other clusters. */
function hasOption(option: string, words: readonly string[]): boolean {
  if (words.some((word) => word === option || word.startsWith(`${option}=`))) return true;
  if (!/^-[A-Za-z]{1,3}$/u.test(option)) return false;
  const letters = words.filter((word) => /^-[A-Za-z]/u.test(word)).join("");
  return Array.from(option.slice(1)).every((letter) => letters.includes(letter));
}

function isOption(word: string): boolean {
  return /^-./u.test(word);
}
