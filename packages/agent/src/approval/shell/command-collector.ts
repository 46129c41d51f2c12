import type { ShellCommand, ShellScript, ShellWord } from "./shell-word.ts";

const MAX_COMMANDS = 2_000;
const MAX_WORDS = 2_000;
/** Reserved words before which or after which a command can stand. */
const PASSED_OVER = new Set("! { } if then elif else fi while until do done esac time".split(" "));

const MAY_PRECEDE = /^(?:time|coproc|function|do)$/u;

export function isPassedOver({ plain, text }: ShellWord): boolean {
  return plain && PASSED_OVER.has(text);
}

/** Keeps the commands of a script while they are read. */
export class CommandCollector implements ShellScript {
  readonly commands: ShellCommand[] = [];
  readonly texts: string[] = [];
  #opaque = false;

  get opaque(): boolean {
    return this.#opaque;
  }

  fail(): void {
    this.#opaque = true;
  }

  text(text: string): void {
    if (this.texts.length >= MAX_COMMANDS) this.fail();
    else this.texts.push(text);
  }

  add(command: ShellCommand): void {
    if (this.commands.length >= MAX_COMMANDS) this.fail();
    else this.commands.push(command);
  }

  /** The commands of one list, one after the other. */
  open(): CommandList {
    return new CommandList(this);
  }
}

interface Draft {
  readonly words: ShellWord[];
  input?: ShellWord;
  /** A redirection came before the first word, which therefore is no reserved word. */
  redirected?: true;
  /** Between `[[` and `]]`, where `&&`, `||` and parentheses divide nothing. */
  test?: boolean;
}

/** What comes next in a `case`: its word, `in`, a pattern (whose `)` closes nothing), or commands. */
type CasePart = "word" | "in" | "pattern" | "commands";

/** One list of commands while it is read. */
export class CommandList {
  readonly #collector: CommandCollector;
  readonly #cases: CasePart[] = [];
  #draft: Draft = { words: [] };

  constructor(collector: CommandCollector) {
    this.#collector = collector;
  }

  add(word: ShellWord): void {
    if (this.#inCase(word)) return;
    if (this.#draft.words.length >= MAX_WORDS) {
      this.#collector.fail();
      return;
    }
    const { words, redirected } = this.#draft;
    const first = redirected !== true && words.every(isPassedOver);
    words.push(word);
    if (!word.plain) return;
    if (first && word.text === "[[") this.#draft.test = true;
    if (word.text === "]]") this.#draft.test = false;
    if (word.text === "esac" && first) this.#cases.pop();
    if (word.text === "case") this.#case(first);
  }

  #case(first: boolean): void {
    if (first) this.#cases.push("word");
    // Perhaps the word of the language, as in `time -p case`, `coproc case`, `function f case`, `for x do case`.
    else if (this.#draft.words.some(({ plain, text }) => plain && MAY_PRECEDE.test(text))) {
      this.#collector.fail();
    }
  }

  /** Takes words that belong to the head or to a pattern of a `case`. */
  #inCase(word: ShellWord): boolean {
    const part = this.#cases.at(-1);
    if (part === undefined || part === "commands") return false;
    if (part === "word") this.#next("in");
    else if (part === "in") {
      if (!word.plain || word.text !== "in") this.#collector.fail();
      this.#next("pattern");
    } else if (word.plain && word.text === "esac") this.#cases.pop();
    this.#draft = { words: [] };
    return true;
  }

  #next(part: CasePart): void {
    this.#cases[this.#cases.length - 1] = part;
  }

  /** Between `[[` and `]]`. */
  get inTest(): boolean {
    return this.#draft.test === true;
  }

  redirect(): void {
    if (this.#draft.words.length === 0) this.#draft.redirected = true;
  }

  /** A `(` at this point opens a pattern of a `case`, and no list. */
  get expectsPattern(): boolean {
    return this.#cases.at(-1) === "pattern";
  }

  /** A `)` at this point; whether it ends a pattern of a `case`, and so no list. */
  closesPattern(): boolean {
    const part = this.#cases.at(-1);
    if (part === undefined) return false;
    if (part === "pattern") this.#next("commands");
    else this.#collector.fail();
    return true;
  }

  /** A `;;` at this point. */
  endClause(): void {
    this.end();
    if (this.#cases.at(-1) === "commands") this.#next("pattern");
  }

  /** Where the text of a here-document or here-string of the present command goes, also after the command has ended. */
  inputOf(): (word: ShellWord) => void {
    const draft = this.#draft;
    return (word) => {
      const { input } = draft;
      draft.input =
        input === undefined
          ? word
          : {
              text: `${input.text}\n${word.text}`,
              exact: input.exact && word.exact,
              plain: false,
            };
    };
  }

  end(): void {
    const draft = this.#draft;
    this.#draft = { words: [] };
    if (draft.words.length > 0) this.#collector.add(draft);
  }
}
