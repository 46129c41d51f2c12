/** What one call shows at most. */
export const MAX_LINES = 2_000;
export const MAX_BYTES = 50 * 1_024;

export interface LineRange {
  /** From 1. */
  readonly start: number;
  /** Inclusive. */
  readonly end: number;
  readonly numbered: boolean;
}

/** Collects the lines of a range until it is complete or as large as one call shows. */
export class LineWindow {
  readonly #range: LineRange;
  readonly #lines: string[] = [];
  #bytes = 0;
  /** Number of the line that would not fit. */
  #stoppedAt: number | undefined;
  #endsOpen = false;
  #cut = false;

  constructor(range: LineRange) {
    this.#range = range;
  }

  /** False: no later line is wanted. */
  get open(): boolean {
    return this.#stoppedAt === undefined && this.last < this.#range.end;
  }

  wants(number: number): boolean {
    return this.open && number >= this.#range.start;
  }

  /**
   * @param text the line without its end; of a longer line its first {@link MAX_BYTES} characters at least
   * @param length of the whole line: characters, or bytes where not all of it was kept
   * @param ended false for a last line without an end
   */
  take(number: number, text: string, length: number, ended: boolean): void {
    const head = this.#range.numbered ? `${String(number).padStart(6)}\t` : "";
    const whole = text.length === length ? head + text : undefined;
    const size = whole === undefined ? Number.POSITIVE_INFINITY : Buffer.byteLength(whole) + 1;
    if (this.#lines.length >= MAX_LINES) this.#stoppedAt = number;
    else if (whole !== undefined && this.#bytes + size <= MAX_BYTES) this.#push(whole, size, ended);
    else if (this.#lines.length > 0) this.#stoppedAt = number;
    else {
      this.#cut = true;
      this.#push(head + cutLine(text, length), MAX_BYTES, ended);
    }
  }

  #push(line: string, size: number, ended: boolean): void {
    this.#lines.push(line);
    this.#bytes += size;
    this.#endsOpen = !ended;
  }

  /** Number of the last line taken. */
  get last(): number {
    return this.#range.start + this.#lines.length - 1;
  }

  get count(): number {
    return this.#lines.length;
  }

  /** The number of the line to go on with, when a limit ended the window. */
  get next(): number | undefined {
    return this.#stoppedAt;
  }

  /** A line was too long. */
  get cut(): boolean {
    return this.#cut;
  }

  get text(): string {
    return this.#lines.join("\n") + (this.#endsOpen || this.#lines.length === 0 ? "" : "\n");
  }
}

/** Keeps whole characters. */
function cutLine(text: string, length: number): string {
  const mark = ` [line cut: it has a length of ${length}]`;
  const kept = new TextDecoder().decode(
    Buffer.from(text).subarray(0, MAX_BYTES - mark.length - 16),
    { stream: true },
  );
  return kept + mark;
}
