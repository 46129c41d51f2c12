import { redactedHead } from "../../redaction/redacted-head.ts";
import type { Redactor } from "../../redaction/redactor.ts";

const SHOWN_CHARS = 500;
/** Kept of each, so that a secret is found also where it is cut. */
const KEPT_CHARS = 8 * 1024;
const ALL_CHARS = 2 * 1024;

/** The last lines that were no messages: their beginnings, without secrets. */
export class SkippedLines {
  readonly #redact: Redactor;
  /** As bytes: a part of a text would keep all of it in memory. */
  #lines: Buffer[] = [];
  #chars = 0;

  constructor(redact: Redactor) {
    this.#redact = redact;
  }

  add(line: string): void {
    const kept = Buffer.from(line.slice(0, KEPT_CHARS));
    this.#lines.push(kept);
    this.#chars += shownLength(kept);
    for (;;) {
      const [first] = this.#lines;
      if (first === undefined || this.#chars - shownLength(first) < ALL_CHARS) return;
      this.#lines.shift();
      this.#chars -= shownLength(first);
    }
  }

  /** At most 2 KiB, each line at most 500 characters. */
  text(): string {
    const shown = this.#lines.map(
      (line) => `${redactedHead(line.toString("utf8"), SHOWN_CHARS, this.#redact)}\n`,
    );
    return shown.join("").slice(-ALL_CHARS);
  }
}

function shownLength({ length }: Buffer): number {
  return Math.min(length, SHOWN_CHARS) + 1;
}
