import type { ShellWord } from "./shell-word.ts";

interface HereDocument {
  /** The delimiter with its quotes: when there are any, the body is not expanded. */
  readonly raw: string;
  readonly delimiter: string;
  readonly stripTabs: boolean;
  /** How deep in subshells and substitutions it stands. */
  readonly nesting: number;
  readonly onText: (word: ShellWord) => void;
}

interface Bodies {
  /** Position after the last one. */
  readonly end: number;
  readonly bodies: readonly { readonly text: string; readonly expands: boolean }[];
  /** False: a delimiter did not come, or the body may begin elsewhere. */
  readonly complete: boolean;
}

/** Here-documents whose bodies begin after the next line break. */
export class HereDocuments {
  readonly #pending: HereDocument[] = [];

  get pending(): boolean {
    return this.#pending.length > 0;
  }

  open(document: HereDocument): void {
    this.#pending.push(document);
  }

  /** Reads the bodies that begin at `start`. */
  read(source: string, start: number, nesting: number): Bodies {
    let end = start;
    let complete = this.#pending.every((document) => document.nesting === nesting);
    const bodies = this.#pending.splice(0).map(({ raw, delimiter, stripTabs, onText }) => {
      const lines: string[] = [];
      let found = false;
      while (!found && end < source.length) {
        const lineEnd = source.indexOf("\n", end);
        const line = source.slice(end, lineEnd === -1 ? source.length : lineEnd);
        end = lineEnd === -1 ? source.length : lineEnd + 1;
        const bare = stripTabs ? line.replace(/^\t+/u, "") : line;
        found = bare === delimiter;
        if (!found) lines.push(bare);
      }
      complete &&= found;
      const text = lines.join("\n");
      const expands = !/["'\\]/u.test(raw);
      onText({ text, exact: !expands || !/[$`\\]/u.test(text), plain: false });
      return { text, expands };
    });
    return { end, bodies, complete };
  }
}
