import type { RulePattern } from "./permission-rule.ts";
import type { RuleMatch } from "./rule-match.ts";
import { simpleWords } from "./simple-command.ts";

type WordPattern = Extract<RulePattern, { type: "words" }>;

/** A command as rules see it. */
export class CommandView {
  /** Undefined when the command is not simple. */
  readonly words: readonly string[] | undefined;

  constructor(command: string) {
    this.words = simpleWords(command);
  }

  /** For allow rules. */
  allows({ words, rest }: WordPattern): boolean {
    const own = this.words;
    if (own === undefined) return false;
    if (rest ? own.length < words.length : own.length !== words.length) return false;
    return words.every((word, index) => own[index] === word);
  }

  /** For deny and ask rules. */
  finds(pattern: WordPattern): RuleMatch {
    if (this.words === undefined) return "maybe";
    return this.allows(pattern) ? "yes" : "no";
  }
}
