import { StringDecoder } from "node:string_decoder";

export interface TerminalTextOptions {
  /** A line that was written over and over (a progress bar) is given once, as it was last. Lines are given when they end. */
  readonly foldLines?: boolean;
}

/** A line longer than this is given before it ends. */
const MAX_HELD_LINE = 4096;
const MAX_HELD_ESCAPE = 300;

/** Escape sequences of terminals: colours, cursor, titles, links, and what is left of them. */
const ESCAPES =
  /(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,4}[@-~]|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]{0,256}(?:\x07|\x1b\\|\x9c)|\x1b[ -/]{0,4}[0-~]/g;
const INCOMPLETE = /(?:\x1b|[\x90\x98\x9b\x9d-\x9f])[^\x07\x1b\x9c]*\x1b?$/;
const UNREADABLE = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffd]+/g;
const MARK = "\ufffd";

/** Bytes that a program wrote for a terminal as text for readers: decoded, without escape sequences, control characters or overwritten lines. */
export class TerminalText {
  readonly #decoder = new StringDecoder("utf8");
  readonly #foldLines: boolean;
  /** Begins with an escape sequence or a carriage return that is not complete yet. */
  #raw = "";
  #line = "";
  #unreadable = 0;

  constructor({ foldLines = false }: TerminalTextOptions = {}) {
    this.#foldLines = foldLines;
  }

  /** Characters that could not be shown as text. */
  get unreadable(): number {
    return this.#unreadable;
  }

  push(chunk: Uint8Array): string {
    return this.#take(
      this.#decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)),
      false,
    );
  }

  end(): string {
    return this.#take(this.#decoder.end(), true);
  }

  #take(added: string, last: boolean): string {
    const raw = (this.#raw + added).replaceAll(ESCAPES, "");
    const cut = last ? raw.length : incompleteFrom(raw);
    this.#raw = raw.slice(cut);
    const clean = raw
      .slice(0, cut)
      .replaceAll(/\r+\n/g, "\n")
      .replaceAll(UNREADABLE, (run) => {
        this.#unreadable += run.length;
        return MARK;
      });
    return this.#foldLines ? this.#fold(clean, last) : clean.replaceAll(/\r+/g, "\n");
  }

  #fold(added: string, last: boolean): string {
    const joined = this.#line + added;
    const text = joined.includes("\r") ? joined.replaceAll(/^[^\n]*\r(?=[^\r\n])/gm, "") : joined;
    const end = text.lastIndexOf("\n") + 1;
    const isWhole = last || text.length - end > MAX_HELD_LINE;
    this.#line = isWhole ? "" : text.slice(end);
    return (isWhole ? text : text.slice(0, end)).replaceAll(/\r+/g, "");
  }
}

function incompleteFrom(raw: string): number {
  const escape = raw.slice(-MAX_HELD_ESCAPE).search(INCOMPLETE);
  if (escape !== -1) return Math.max(0, raw.length - MAX_HELD_ESCAPE) + escape;
  return raw.endsWith("\r") ? raw.length - 1 : raw.length;
}
