import { readAnsiQuoted } from "./ansi-quote.ts";
import type { ShellWord } from "./shell-word.ts";

/** What a word can hold that is no word. */
export interface WordContext {
  /** A list of commands begins at `at`, behind its `(`; returns the position after its `)`. */
  list(at: number, arithmetic: boolean): number;
  /** A script of its own: what stood between backticks. */
  script(text: string): void;
  /** A text that is not run here. */
  text(text: string): void;
  /** Something cannot be read for certain. */
  fail(): void;
}

const ENDS_WORD = new Set([" ", "\t", "\n", ";", "&", "|", "<", ">", "(", ")"]);
/** Words that look like a glob or brace and are not. */
const LITERAL_MARKS = new Set(["[", "[[", "]", "]]", "{", "}", "{}"]);
const NAME = /^[A-Za-z_]\w*\+?$/u;
const TILDE_ALONE = /^~[^/]*$/u;
const PARAMETER = /^(?:[A-Za-z_]\w*|[0-9@*#?$!-])/u;

const MAX_BRACES = 50;

interface Piece {
  text: string;
  exact: boolean;
}

/** Reads one word: quotes, escapes, and substitutions, whose commands it hands on. */
export class WordReader {
  readonly #source: string;
  readonly #context: WordContext;
  #braceDepth = 0;

  constructor(source: string, context: WordContext) {
    this.#source = source;
    this.#context = context;
  }

  /** `end` is `start` when no word begins there. */
  read(start: number): { readonly word: ShellWord; readonly end: number } {
    const source = this.#source;
    const piece: Piece = { text: "", exact: true };
    let plain = true;
    let valueAt: number | undefined;
    let at = start;
    while (at < source.length) {
      const character = source.charAt(at);
      const substitutes = /^[<>]\($/u.test(source.slice(at, at + 2));
      if (ENDS_WORD.has(character) && !substitutes) break;
      if (substitutes) {
        piece.exact = false;
        at = this.#context.list(at + 2, false);
      } else if (/['"\\$`]/u.test(character)) {
        if (!source.startsWith("\\\n", at)) plain = false;
        at = this.#special(at, piece);
      } else {
        if (character === "=" && plain && valueAt === undefined && NAME.test(piece.text)) {
          valueAt = piece.text.length + 1;
        }
        piece.text += character;
        at += 1;
      }
    }
    piece.exact &&= plain ? isLiteral(piece.text, valueAt) : !hasPattern(source.slice(start, at));
    const word = { ...piece, plain, ...(valueAt !== undefined && { valueAt }) };
    return { word, end: at };
  }

  /** The whole source as the inside of a here-document. */
  readBody(): void {
    this.#double(0, { text: "", exact: true }, "");
  }

  #special(at: number, piece: Piece): number {
    const source = this.#source;
    switch (source.charAt(at)) {
      case "'":
        return this.#single(at, piece);
      case '"':
        return this.#double(at + 1, piece);
      case "$":
        return this.#dollar(at, piece, false);
      case "`":
        return this.#backtick(at, piece, false);
      default: {
        const next = source.charAt(at + 1);
        if (next !== "\n") piece.text += next;
        return at + 2;
      }
    }
  }

  #single(at: number, piece: Piece): number {
    const end = this.#source.indexOf("'", at + 1);
    if (end === -1) return this.#unterminated(piece);
    this.#literal(this.#source.slice(at + 1, end), piece);
    return end + 1;
  }

  #literal(text: string, piece: Piece): void {
    piece.text += text;
    if (/\$\(|`/u.test(text)) this.#context.text(text);
  }

  /** @param quote what ends it; empty: the end of the source */
  #double(start: number, piece: Piece, quote = '"'): number {
    const source = this.#source;
    let at = start;
    while (at < source.length) {
      const character = source.charAt(at);
      if (character === quote) return at + 1;
      if (character === "\\") {
        const next = source.charAt(at + 1);
        if (next !== "\n") piece.text += /["\\$`]/u.test(next) ? next : `\\${next}`;
        at += 2;
      } else if (character === "$") at = this.#dollar(at, piece, true);
      else if (character === "`") at = this.#backtick(at, piece, true);
      else {
        piece.text += character;
        at += 1;
      }
    }
    return quote === "" ? at : this.#unterminated(piece);
  }

  #dollar(at: number, piece: Piece, quoted: boolean): number {
    const source = this.#source;
    const next = source.charAt(at + 1);
    if (next === "'" && !quoted) return this.#ansi(at + 2, piece);
    if (next === '"' && !quoted) return this.#double(at + 2, piece);
    if (next === "(") {
      piece.exact = false;
      return this.#context.list(at + 2, source.charAt(at + 2) === "(");
    }
    if (next === "{") {
      piece.exact = false;
      return this.#braces(at + 2, quoted);
    }
    if (next === "[") {
      // Arithmetic of old; its end is not looked for.
      piece.exact = false;
      this.#context.fail();
      return at + 2;
    }
    const parameter = PARAMETER.exec(source.slice(at + 1, at + 129))?.[0];
    if (parameter === undefined) {
      piece.text += "$";
      return at + 1;
    }
    piece.exact = false;
    return at + 1 + parameter.length;
  }

  #ansi(at: number, piece: Piece): number {
    const quoted = readAnsiQuoted(this.#source, at);
    if (quoted === undefined) return this.#unterminated(piece);
    this.#literal(quoted.text, piece);
    piece.exact &&= quoted.exact;
    return quoted.end;
  }

  /** `${…}` from behind its brace. What is in it is a word again, with rules that depend on the operator. */
  #braces(start: number, quoted: boolean): number {
    const source = this.#source;
    // `${ command; }`, `${| command; }` and `${name@P}` run what they hold.
    if (/^[\s|(]|^[^}]*@P/u.test(source.slice(start, start + 256))) this.#context.fail();
    const inner: Piece = { text: "", exact: true };
    if (this.#braceDepth >= MAX_BRACES) return this.#unterminated(inner);
    this.#braceDepth += 1;
    let at = start;
    while (at < source.length) {
      const character = source.charAt(at);
      if (character === "}") {
        this.#braceDepth -= 1;
        if (inner.text !== "") this.#context.text(inner.text.replace(/^[^:=+?-]*:?[=+?-]/u, ""));
        return at + 1;
      }
      if (character === "'" && quoted) {
        // Whether it quotes depends on the operator.
        this.#context.fail();
        at += 1;
      } else if (/['"\\$`]/u.test(character)) at = this.#special(at, inner);
      else if (/^[<>]\($/u.test(source.slice(at, at + 2))) at = this.#context.list(at + 2, false);
      else {
        inner.text += character;
        at += 1;
      }
    }
    return this.#unterminated(inner);
  }

  #backtick(at: number, piece: Piece, quoted: boolean): number {
    const source = this.#source;
    piece.exact = false;
    let text = "";
    for (let index = at + 1; index < source.length; index += 1) {
      const character = source.charAt(index);
      if (character === "`") {
        this.#context.script(text);
        return index + 1;
      }
      const next = source.charAt(index + 1);
      if (character === "\\" && (/[\\$`]/u.test(next) || (quoted && next === '"'))) {
        text += next;
        index += 1;
      } else text += character;
    }
    return this.#unterminated(piece);
  }

  #unterminated(piece: Piece): number {
    piece.exact = false;
    this.#context.fail();
    return this.#source.length;
  }
}

function isLiteral(text: string, valueAt: number | undefined): boolean {
  if (LITERAL_MARKS.has(text) || valueAt !== undefined) return true;
  return !/[*?[{]/u.test(text) && !TILDE_ALONE.test(text);
}

/** A glob or brace outside quotes; takes one in quotes for one too. */
function hasPattern(raw: string): boolean {
  return /[*?[{]/u.test(raw.replaceAll(/'[^']*'|"[^"]*"/gu, ""));
}
