import { CommandCollector, type CommandList } from "./command-collector.ts";
import { HereDocuments } from "./here-documents.ts";
import type { ShellScript } from "./shell-word.ts";
import { WordReader } from "./word-reader.ts";

const MAX_CHARS = 65_536;
const MAX_DEPTH = 12;

/**
 * Every command that a script could run, in whatever nesting. Reads more than there is rather than less: what looks like a command
 * counts as one. Where that is not possible the script is opaque.
 */
export function readScript(source: string): ShellScript {
  const collector = new CommandCollector();
  if (source.length > MAX_CHARS) collector.fail();
  else new ScriptReader(source, collector, 0).readAll();
  return collector;
}

/** Where a list of commands ends: at the end of the text, or at the parenthesis that closes it. */
type Closing = "end" | "parenthesis";

/** Reads lists of commands: operators, redirections, comments, subshells. Words are read by {@link WordReader}. */
class ScriptReader {
  readonly #source: string;
  readonly #collector: CommandCollector;
  readonly #depth: number;
  readonly #words: WordReader;
  readonly #here = new HereDocuments();
  #at = 0;
  /** Inside `((`, where `<<` and `#` mean something else. */
  #arithmetic = 0;
  #nesting = 0;

  constructor(source: string, collector: CommandCollector, depth: number) {
    this.#source = source;
    this.#collector = collector;
    this.#depth = depth;
    this.#words = new WordReader(source, {
      list: (at, arithmetic) => this.#nested(at, arithmetic),
      script: (text) => this.#inner(text),
      text: (text) => collector.text(text),
      fail: () => collector.fail(),
    });
  }

  readAll(): void {
    this.#list("end");
    if (this.#here.pending) this.#collector.fail();
  }

  /** The whole text as the inside of a here-document, of which only substitutions are commands. */
  readBody(): void {
    this.#words.readBody();
  }

  /** The list of a substitution that begins at `at`; returns where it ends. */
  #nested(at: number, arithmetic: boolean): number {
    this.#at = at;
    this.#subList(arithmetic);
    return this.#at;
  }

  #subList(arithmetic: boolean): void {
    if (this.#nesting >= MAX_DEPTH) {
      this.#collector.fail();
      this.#at = this.#source.length;
      return;
    }
    this.#nesting += 1;
    this.#arithmetic += arithmetic ? 1 : 0;
    this.#list("parenthesis");
    this.#arithmetic -= arithmetic ? 1 : 0;
    this.#nesting -= 1;
  }

  /** The text of a backtick substitution, which is a script of its own. */
  #inner(text: string): void {
    this.#reader(text)?.readAll();
  }

  #reader(text: string): ScriptReader | undefined {
    if (this.#depth < MAX_DEPTH) return new ScriptReader(text, this.#collector, this.#depth + 1);
    this.#collector.fail();
    return undefined;
  }

  #list(closing: Closing): void {
    const source = this.#source;
    const command = this.#collector.open();
    while (this.#at < source.length) {
      const character = source.charAt(this.#at);
      const passed = command.inTest ? " \t&|()" : " \t";
      if (passed.includes(character)) this.#at += 1;
      else if (character === ")") {
        this.#at += 1;
        command.end();
        if (!command.closesPattern() && closing === "parenthesis") return;
      } else this.#step(character, command);
    }
    command.end();
    if (closing === "parenthesis") this.#collector.fail();
  }

  #step(character: string, command: CommandList): void {
    switch (character) {
      case "\n":
        command.end();
        this.#at += 1;
        this.#bodies();
        break;
      case "#":
        this.#comment();
        break;
      case "(":
        this.#at += 1;
        if (command.expectsPattern) break;
        command.end();
        this.#subList(this.#source.startsWith("((", this.#at - 1));
        break;
      case ";":
      case "&":
      case "|":
        if (this.#source.startsWith("&>", this.#at)) this.#redirection(command, 1);
        else this.#operator(command);
        break;
      default:
        if (this.#startsRedirection()) this.#redirection(command, 0);
        else this.#word(command);
    }
  }

  #bodies(): void {
    const { end, bodies, complete } = this.#here.read(this.#source, this.#at, this.#nesting);
    this.#at = end;
    if (!complete) this.#collector.fail();
    for (const { text, expands } of bodies) if (expands) this.#reader(text)?.readBody();
  }

  #operator(command: CommandList): void {
    if (/^;(?:;&?|&)/u.test(this.#source.slice(this.#at, this.#at + 3))) command.endClause();
    else command.end();
    this.#at += 1;
  }

  #comment(): void {
    if (this.#arithmetic > 0) {
      this.#collector.fail();
      this.#at += 1;
      return;
    }
    const end = this.#source.indexOf("\n", this.#at);
    this.#at = end === -1 ? this.#source.length : end;
  }

  #startsRedirection(): boolean {
    return /^[<>](?!\()/u.test(this.#source.slice(this.#at, this.#at + 2));
  }

  #redirection(command: CommandList, skip: number): void {
    const operator = /^(?:<<<|<<-?|<>|<&|>>|>&|>\||<|>)/u.exec(
      this.#source.slice(this.#at + skip, this.#at + skip + 3),
    )?.[0];
    this.#at += skip + (operator?.length ?? 1);
    command.redirect();
    this.#blanks();
    const start = this.#at;
    const { word, end } = this.#words.read(start);
    this.#at = end;
    if (operator === "<<" || operator === "<<-") {
      if (this.#arithmetic > 0 || end === start || !word.exact) this.#collector.fail();
      else {
        this.#here.open({
          raw: this.#source.slice(start, end),
          delimiter: word.text,
          stripTabs: operator === "<<-",
          nesting: this.#nesting,
          onText: command.inputOf(),
        });
      }
    } else if (operator === "<<<") command.inputOf()(word);
  }

  #blanks(): void {
    while (/[ \t]/u.test(this.#source.charAt(this.#at))) this.#at += 1;
  }

  #word(command: CommandList): void {
    const start = this.#at;
    const { word, end } = this.#words.read(start);
    this.#at = end;
    if (end === start) {
      this.#collector.fail();
      this.#at += 1;
      return;
    }
    const next = this.#source.charAt(end);
    const raw = this.#source.slice(start, end);
    // A line break that the shell removes is no word.
    if (raw.replaceAll("\\\n", "") === "") return;
    if (next === "<" || next === ">") {
      if (/^\d+$/u.test(raw)) return;
      // `a[1<<2]=x` is arithmetic, and no here-document.
      if (this.#source.startsWith("<<", end) && raw.includes("[")) this.#collector.fail();
    }
    command.add(word);
  }
}
