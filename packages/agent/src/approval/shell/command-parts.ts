import { isPassedOver } from "./command-collector.ts";
import { runsCodeOf, shellCall } from "./interpreters.ts";
import { programName } from "./program-name.ts";
import { runsByOption } from "./program-options.ts";
import { readScript } from "./script-reader.ts";
import { type ShellCommand, type ShellScript, type ShellWord, UNKNOWN_WORD } from "./shell-word.ts";
import { executedByFind, splitByEnv, textsIn, wrapped } from "./wrappers.ts";

/** A program with its arguments that a command runs, or may run. */
interface CommandPart {
  readonly words: readonly ShellWord[];
  /** False: it may run. */
  readonly certain: boolean;
}

export interface CommandParts {
  readonly parts: readonly CommandPart[];
  /** More may run than the parts show. */
  readonly opaque: boolean;
}

const MAX_PARTS = 4_000;
const MAX_DEPTH = 8;
/** Of all texts that are read for one command: texts in texts multiply. */
const MAX_CHARS = 400_000;

/** All that a command runs, through operators, substitutions, quoting, wrappers and shells in shells. */
export function commandParts(command: string): CommandParts {
  const finder = new PartFinder();
  finder.script(readScript(command), true, 0);
  return finder;
}

class PartFinder implements CommandParts {
  readonly parts: CommandPart[] = [];
  #opaque = false;
  #chars = 0;

  get opaque(): boolean {
    return this.#opaque;
  }

  script({ commands, texts, opaque }: ShellScript, certain: boolean, depth: number): void {
    if (certain && opaque) this.#opaque = true;
    if (depth > MAX_DEPTH) {
      this.#opaque = true;
      return;
    }
    for (const command of commands) this.#command(command, certain, depth);
    for (const text of texts) this.#text(text, false, depth);
  }

  /** A text that is a script, or may be one. */
  #text(text: string, certain: boolean, depth: number): void {
    this.#chars += text.length;
    if (depth > MAX_DEPTH || this.#chars > MAX_CHARS) this.#opaque = true;
    else this.script(readScript(text), certain, depth + 1);
  }

  #command({ words, input }: ShellCommand, certain: boolean, depth: number): void {
    for (const { text, valueAt } of words) {
      // A variable may be what another program runs, such as GIT_SSH_COMMAND.
      if (valueAt !== undefined) this.#text(text.slice(valueAt), false, depth);
    }
    const own = withoutPrefix(words);
    if (own.length > 0) this.#run(own, input, certain, depth);
  }

  #run(
    words: readonly ShellWord[],
    input: ShellWord | undefined,
    certain: boolean,
    depth: number,
  ): void {
    if (this.parts.length >= MAX_PARTS || depth > MAX_DEPTH) {
      this.#opaque = true;
      return;
    }
    this.parts.push({ words, certain });
    const [first] = words;
    if (first === undefined || !first.exact) return;
    const program = programName(first.text);
    this.#shell(program, words, input, certain, depth);
    this.#wrapper(program, words, certain, depth);
    if (program === "find") {
      for (const { command } of executedByFind(words)) {
        this.#run(command.length > 0 ? command : [UNKNOWN_WORD], undefined, certain, depth + 1);
      }
    }
    if (certain && (runsCodeOf(program, words) || runsByOption(program, words))) {
      this.#opaque = true;
    }
    // `!command` is how git and others write an alias that is a command.
    for (const { text } of words) {
      const alias = /(?:^|=)!(.+)$/su.exec(text)?.[1];
      if (alias !== undefined) this.#text(alias, false, depth);
    }
  }

  #shell(
    program: string,
    words: readonly ShellWord[],
    input: ShellWord | undefined,
    certain: boolean,
    depth: number,
  ): void {
    const call = shellCall(program, words, input);
    if (call === undefined) return;
    if (call.opaque && certain) this.#opaque = true;
    for (const text of call.scripts) this.#text(text, certain, depth);
    if (call.file.length > 0) this.parts.push({ words: call.file, certain });
  }

  #wrapper(program: string, words: readonly ShellWord[], certain: boolean, depth: number): void {
    const inner = wrapped(program, words);
    if (inner === undefined) return;
    if (inner.command !== undefined && inner.command.length > 0) {
      this.#run(inner.command, undefined, certain, depth + 1);
    }
    // A doubtful command in a doubtful command is not looked into: its tails are tails of the first one.
    for (const command of inner.perhaps) {
      if (this.parts.length < MAX_PARTS) this.parts.push({ words: command, certain: false });
      else this.#opaque = true;
    }
    for (const text of textsIn(words)) this.#text(text, false, depth);
    if (program === "env") for (const text of splitByEnv(words)) this.#text(text, certain, depth);
  }
}

/** Without assignments and reserved words. */
function withoutPrefix(words: readonly ShellWord[]): readonly ShellWord[] {
  let rest = words;
  for (;;) {
    const [first] = rest;
    if (first === undefined) return [];
    if (first.valueAt !== undefined || isPassedOver(first)) {
      rest = rest.slice(1);
      if (first.text === "time") while (/^-[p-]$/u.test(rest[0]?.text ?? "")) rest = rest.slice(1);
    } else if (first.plain && first.text === "function") rest = rest.slice(2);
    else if (first.plain && (first.text === "for" || first.text === "select")) {
      const start = rest.findIndex(({ text, plain }) => plain && text === "do");
      if (start === -1) return [];
      rest = rest.slice(start + 1);
    } else return rest;
  }
}
