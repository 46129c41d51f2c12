import { EndedText } from "../workspace/line-ends.ts";
import { findHunk } from "./find-hunk.ts";
import type { Hunk } from "./patch.ts";

export type PatchedText =
  | {
      readonly ok: true;
      readonly text: string;
      readonly added: number;
      readonly removed: number;
      /** Number of the first line that changes. */
      readonly firstLine: number;
    }
  /** `hunk` counts from 1. */
  | { readonly ok: false; readonly hunk: number; readonly message: string };

/**
 * Applies all hunks or none. Lines that stay keep their line ends; added ones take those of the line that they replace or
 * follow. Whether the file ends with a line end stays, unless a hunk says otherwise.
 */
export function applyHunks(raw: string, hunks: readonly Hunk[]): PatchedText {
  const old = EndedText.of(raw);
  const oldLines = old.lf === "" ? [] : old.lf.replace(/\n$/, "").split("\n");
  const result = new PatchedLines(oldLines, old.crlf);
  for (const [index, hunk] of hunks.entries()) {
    const found = findHunk(oldLines, hunk, result.cursor);
    if (!found.ok) return { ...found, hunk: index + 1 };
    result.take(found.at, hunk);
  }
  const endsWithNewline = old.lf === "" || old.lf.endsWith("\n");
  const finalNewline = hunks.findLast((hunk) => hunk.finalNewline !== undefined)?.finalNewline;
  const { added, removed, firstLine } = result;
  return {
    ok: true,
    text: result.text(finalNewline ?? endsWithNewline),
    added,
    removed,
    firstLine,
  };
}

class PatchedLines {
  readonly #old: readonly string[];
  readonly #crlf: readonly boolean[];
  readonly #lines: string[] = [];
  readonly #ends: boolean[] = [];
  /** Index of the first old line that is not taken yet. */
  cursor = 0;
  added = 0;
  removed = 0;
  firstLine = 0;

  constructor(old: readonly string[], crlf: readonly boolean[]) {
    this.#old = old;
    this.#crlf = crlf;
  }

  take(at: number, { lines }: Hunk): void {
    while (this.cursor < at) this.#keep();
    for (const { kind, text } of lines) {
      if (kind === "context") this.#keep();
      else if (kind === "remove") this.#remove();
      else this.#add(text);
    }
  }

  #keep(): void {
    this.#push(this.#old[this.cursor] ?? "", this.#endAt(this.cursor));
    this.cursor += 1;
  }

  #remove(): void {
    this.firstLine ||= this.#lines.length + 1;
    this.cursor += 1;
    this.removed += 1;
  }

  #add(text: string): void {
    this.firstLine ||= this.#lines.length + 1;
    this.#push(text, this.#endAt(this.cursor - 1));
    this.added += 1;
  }

  #push(line: string, crlf: boolean): void {
    this.#lines.push(line);
    this.#ends.push(crlf);
  }

  /** Of an old line; where there is none, that of a neighbour. */
  #endAt(index: number): boolean {
    const ends = this.#crlf;
    return ends[index] ?? ends[index - 1] ?? ends[index + 1] ?? ends[0] ?? false;
  }

  text(finalNewline: boolean): string {
    while (this.cursor < this.#old.length) this.#keep();
    if (this.#lines.length === 0) return "";
    const lf = this.#lines.join("\n") + (finalNewline ? "\n" : "");
    return new EndedText(lf, finalNewline ? this.#ends : this.#ends.slice(0, -1)).raw();
  }
}
