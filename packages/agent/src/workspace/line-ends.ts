export interface TextSpan {
  /** Offsets in the LF text. */
  readonly start: number;
  readonly end: number;
  /** What takes its place; line ends are LF. */
  readonly text: string;
}

/** A text whose line ends are LF, and which of them are CRLF in the file. */
export class EndedText {
  readonly lf: string;
  /** One entry per `\n` of `lf`. */
  readonly crlf: readonly boolean[];

  constructor(lf: string, crlf: readonly boolean[]) {
    this.lf = lf;
    this.crlf = crlf;
  }

  static of(raw: string): EndedText {
    const crlf: boolean[] = [];
    for (let at = raw.indexOf("\n"); at !== -1; at = raw.indexOf("\n", at + 1))
      crlf.push(raw[at - 1] === "\r");
    return new EndedText(raw.replaceAll("\r\n", "\n"), crlf);
  }

  raw(): string {
    if (!this.crlf.includes(true)) return this.lf;
    if (!this.crlf.includes(false)) return this.lf.replaceAll("\n", "\r\n");
    return this.lf
      .split("\n")
      .map((line, index) => line + lineEnd(this.crlf[index]))
      .join("");
  }

  /**
   * Replaces spans (sorted, apart from each other). Lines that a span does not change keep their end; new ones take the
   * end of the line that they replace, else of the line before, else of the one after.
   */
  replace(spans: readonly TextSpan[]): EndedText {
    const parts: string[] = [];
    const ends: boolean[] = [];
    let at = 0;
    let line = 0;
    for (const { start, end, text } of spans) {
      const before = this.lf.slice(at, start);
      const keptLines = newlines(before);
      parts.push(before, text);
      push(ends, this.crlf.slice(line, line + keptLines));
      line += keptLines;
      const old = this.lf.slice(start, end);
      const oldEnds = this.crlf.slice(line, line + newlines(old));
      push(ends, endsOf(old, text, oldEnds, this.crlf[line - 1] ?? this.crlf[line] ?? false));
      line += oldEnds.length;
      at = end;
    }
    parts.push(this.lf.slice(at));
    push(ends, this.crlf.slice(line));
    return new EndedText(parts.join(""), ends);
  }
}

function lineEnd(crlf: boolean | undefined): string {
  if (crlf === undefined) return "";
  return crlf ? "\r\n" : "\n";
}

/** `push(...more)` overflows the stack with very many. */
function push(ends: boolean[], more: readonly boolean[]): void {
  for (const end of more) ends.push(end);
}

function newlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

function endsOf(
  old: string,
  text: string,
  oldEnds: readonly boolean[],
  otherwise: boolean,
): readonly boolean[] {
  const shorter = Math.min(old.length, text.length);
  let head = 0;
  while (head < shorter && old[head] === text[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === text.at(-1 - tail)) tail += 1;
  const first = newlines(text.slice(0, head));
  const last = newlines(text.slice(text.length - tail));
  const fresh = newlines(text) - first - last;
  const style = oldEnds[first] ?? oldEnds[first - 1] ?? otherwise;
  return [
    ...oldEnds.slice(0, first),
    ...Array.from({ length: fresh }, () => style),
    ...oldEnds.slice(oldEnds.length - last),
  ];
}
