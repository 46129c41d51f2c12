import {
  BEGIN_PATCH,
  END_OF_FILE,
  END_PATCH,
  type FilePatch,
  type Hunk,
  type HunkLine,
  NO_NEWLINE,
  type Patch,
} from "./patch.ts";

export type ParsedPatch =
  | { readonly ok: true; readonly patch: Patch }
  | { readonly ok: false; readonly message: string };

/** Reads a whole patch or nothing of it. The message names the line of the patch and what was expected there. */
export function parsePatch(text: string): ParsedPatch {
  try {
    return { ok: true, patch: new PatchReader(linesOf(text)).read() };
  } catch (error) {
    if (error instanceof PatchFault) return { ok: false, message: error.message };
    throw error;
  }
}

class PatchFault extends Error {}

/** Blank lines around the patch do not count; neither does that a whole patch was written with CRLF. */
function linesOf(text: string): { readonly lines: readonly string[]; readonly first: number } {
  const all = text.split("\n");
  const blankHead = all.findIndex((line) => line.trim() !== "");
  const blankTail = all.findLastIndex((line) => line.trim() !== "");
  const lines = blankHead === -1 ? [] : all.slice(blankHead, blankTail + 1);
  const crlf = lines.length > 1 && lines.slice(0, -1).every((line) => line.endsWith("\r"));
  const first = Math.max(blankHead, 0) + 1;
  return { lines: crlf ? lines.map((line) => line.replace(/\r$/, "")) : lines, first };
}

const FILE_DIRECTIVE = /^\*\*\* (Add|Update|Delete)(?: File)?:(.*)$/;
const MOVE_DIRECTIVE = /^\*\*\* Move to:(.*)$/;
/** `@@`, `@@ heading`, and the form of unified diffs with line numbers, which are not used. */
const HUNK_HEAD = /^@@(?: -\d+(?:,\d+)? \+\d+(?:,\d+)? @@)?(?: (.*))?$/;

class PatchReader {
  readonly #lines: readonly string[];
  readonly #first: number;
  #at = 0;

  constructor({ lines, first }: ReturnType<typeof linesOf>) {
    this.#lines = lines;
    this.#first = first;
  }

  read(): Patch {
    if (this.#next()?.trimEnd() !== BEGIN_PATCH) this.#fail(`the first line is "${BEGIN_PATCH}"`);
    this.#at += 1;
    const files: FilePatch[] = [];
    for (;;) {
      const line = this.#next();
      if (line === undefined) this.#fail(`the last line is "${END_PATCH}"`);
      if (line.trimEnd() === END_PATCH) break;
      files.push(this.#file(line));
    }
    this.#at += 1;
    if (this.#next() !== undefined) this.#fail(`nothing comes after "${END_PATCH}"`);
    if (files.length === 0) this.#fail("a patch changes at least one file");
    return files;
  }

  #next(): string | undefined {
    return this.#lines[this.#at];
  }

  #fail(expected: string): never {
    const line = this.#next();
    const found =
      line === undefined ? "the patch ends" : `found ${JSON.stringify(line.slice(0, 120))}`;
    throw new PatchFault(`Line ${this.#first + this.#at} of the patch: ${expected}; ${found}.`);
  }

  #file(line: string): FilePatch {
    const [, type, rest = ""] = FILE_DIRECTIVE.exec(line) ?? [];
    const path = rest.trim();
    if (type === undefined)
      this.#fail('a file begins with "*** Add File: ", "*** Update File: " or "*** Delete File: "');
    if (path === "") this.#fail("a path comes after the colon");
    this.#at += 1;
    if (type === "Add") return this.#added(path);
    if (type === "Update") return this.#updated(path);
    this.#skipBlank();
    return { type: "delete", path };
  }

  /** Empty lines before a directive separate, they are no content. */
  #skipBlank(): void {
    let at = this.#at;
    while (this.#lines[at] === "") at += 1;
    if (this.#lines[at]?.startsWith("***") === true) this.#at = at;
  }

  #atEndOfBody(): boolean {
    this.#skipBlank();
    return this.#next()?.startsWith("***") ?? true;
  }

  #added(path: string): FilePatch {
    const lines: string[] = [];
    let finalNewline = true;
    while (!this.#atEndOfBody()) {
      const line = this.#next() ?? "";
      if (!finalNewline) this.#fail("the file has ended");
      if (line === NO_NEWLINE && lines.length > 0) finalNewline = false;
      else if (line.startsWith("+")) lines.push(line.slice(1));
      else this.#fail('each line of an added file begins with "+"');
      this.#at += 1;
    }
    return { type: "add", path, lines, finalNewline };
  }

  #updated(path: string): FilePatch {
    const [, target] = MOVE_DIRECTIVE.exec(this.#next() ?? "") ?? [];
    const moveTo = target?.trim();
    if (moveTo === "") this.#fail("a path comes after the colon");
    if (moveTo !== undefined) this.#at += 1;
    this.#skipFileHeaders();
    const hunks: Hunk[] = [];
    while (!this.#atEndOfBody()) hunks.push(this.#hunk(hunks.length > 0));
    if (hunks.length === 0 && moveTo === undefined)
      this.#fail("an updated file has at least one hunk");
    return { type: "update", path, hunks, ...(moveTo !== undefined && { moveTo }) };
  }

  /** The head of a unified diff: only where a hunk's head follows, because its lines could be removed ones, too. */
  #skipFileHeaders(): void {
    let at = this.#at;
    while (/^(?:diff --git |index )/.test(this.#lines[at] ?? "")) at += 1;
    const [old = "", next = "", head = ""] = this.#lines.slice(at, at + 3);
    if (old.startsWith("--- ") && next.startsWith("+++ ") && head.startsWith("@@"))
      this.#at = at + 2;
  }

  /** @param headed a head is needed: only the first hunk may begin with its lines */
  #hunk(headed: boolean): Hunk {
    const headings = this.#headings();
    if (headed && headings === undefined) this.#fail('a further hunk begins with "@@"');
    const { lines, finalNewline } = this.#hunkLines();
    const ended = this.#next()?.trimEnd() === END_OF_FILE;
    if (ended) this.#at += 1;
    else lines.splice(lines.length - this.#blankBefore());
    if (lines.length === 0) this.#fail("a hunk has lines");
    return {
      headings: headings ?? [],
      lines,
      endOfFile: ended || finalNewline !== undefined,
      ...(finalNewline !== undefined && { finalNewline }),
    };
  }

  #hunkLines(): { readonly lines: HunkLine[]; readonly finalNewline: boolean | undefined } {
    const lines: HunkLine[] = [];
    let finalNewline: boolean | undefined;
    for (;;) {
      const line = this.#next();
      if (line === undefined || line.startsWith("***") || line.startsWith("@@")) break;
      if (line === NO_NEWLINE && lines.length > 0) finalNewline = lines.at(-1)?.kind === "remove";
      else {
        // After the mark of removed lines those may follow that take their place, else nothing.
        if (finalNewline === false) this.#fail("the file has ended");
        lines.push(this.#hunkLine(line));
      }
      this.#at += 1;
    }
    return { lines, finalNewline };
  }

  /** Wholly empty lines at the end of a hunk separate it from what follows. */
  #blankBefore(): number {
    let count = 0;
    while (this.#lines[this.#at - 1 - count] === "") count += 1;
    return count;
  }

  #headings(): readonly string[] | undefined {
    let headings: string[] | undefined;
    for (;;) {
      const line = this.#next() ?? "";
      if (!line.startsWith("@@")) return headings;
      const [head, heading = ""] = HUNK_HEAD.exec(line) ?? [];
      if (head === undefined) this.#fail('a heading is separated from "@@" by a space');
      headings ??= [];
      if (heading.trim() !== "") headings.push(heading);
      this.#at += 1;
    }
  }

  #hunkLine(line: string): HunkLine {
    const text = line.slice(1);
    if (line === "" || line.startsWith(" ")) return { kind: "context", text };
    if (line.startsWith("-")) return { kind: "remove", text };
    if (line.startsWith("+")) return { kind: "add", text };
    return this.#fail('each line of a hunk begins with " ", "-" or "+"');
  }
}
