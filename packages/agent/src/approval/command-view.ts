import type { RulePattern } from "./permission-rule.ts";
import type { RuleMatch } from "./rule-match.ts";
import { commandParts, type CommandParts } from "./shell/command-parts.ts";
import { spelledWords } from "./shell/spelled-words.ts";
import { simpleWords } from "./shell/simple-command.ts";
import { findPattern } from "./word-pattern.ts";

type WordPattern = Extract<RulePattern, { type: "words" }>;

/** A command as rules see it. */
export class CommandView {
  /** Undefined when the command is not simple. */
  readonly words: readonly string[] | undefined;
  readonly #command: string;
  #parts: CommandParts | undefined;

  constructor(command: string) {
    this.#command = command;
    this.words = simpleWords(command);
  }

  /** For allow rules: the command is simple, and the rule spells its first words and every program in it. */
  allows({ words, rest }: WordPattern): boolean {
    const own = this.words;
    if (own === undefined) return false;
    if (rest ? own.length < words.length : own.length !== words.length) return false;
    if (words.length < spelledWords(own)) return false;
    return words.every((word, index) => own[index] === word);
  }

  /** For deny and ask rules: one of the programs that it runs is enough. */
  finds({ words, rest }: WordPattern): RuleMatch {
    if (words.length === 0) return "yes";
    this.#parts ??= commandParts(this.#command);
    let found: RuleMatch = this.#parts.opaque ? "maybe" : "no";
    for (const part of this.#parts.parts) {
      const match = findPattern(words, rest, part.words);
      if (match === "yes" && part.certain) return "yes";
      if (match !== "no") found = "maybe";
    }
    return found;
  }
}
