import type { Redactor } from "../../redaction/redactor.ts";
import { cleanServerName } from "./clean-server-text.ts";

const MAX_LINE_BYTES = 300;
const MIN_GAP_MS = 250;
const MAX_LINES = 200;

interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Shows how far a call is, in lines, a few a second at most: the newest one counts. */
export class ProgressLines {
  readonly #show: (text: string) => void;
  readonly #redact: Redactor;
  #shownAt = Number.NEGATIVE_INFINITY;
  #lines = 0;
  #last = "";
  #held: string | undefined;

  constructor(show: (text: string) => void, redact: Redactor) {
    this.#show = show;
    this.#redact = redact;
  }

  take(progress: Progress): void {
    const line = lineOf(progress, this.#redact);
    if (line === this.#last) return;
    this.#held = line;
    if (performance.now() - this.#shownAt >= MIN_GAP_MS) this.#flush();
  }

  /** Shows what was held back. */
  end(): void {
    this.#flush();
  }

  #flush(): void {
    const line = this.#held;
    this.#held = undefined;
    if (line === undefined || this.#lines >= MAX_LINES) return;
    this.#last = line;
    this.#shownAt = performance.now();
    this.#lines += 1;
    this.#show(`${line}\n`);
  }
}

function lineOf({ progress, total, message = "" }: Progress, redact: Redactor): string {
  const text = cleanServerName(message, MAX_LINE_BYTES, redact);
  const count = total === undefined ? `${progress}` : `${progress}/${total}`;
  return text === "" ? `progress ${count}` : `${text} (${count})`;
}
