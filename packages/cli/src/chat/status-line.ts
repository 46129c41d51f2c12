import { seconds } from "../events/event-lines.ts";
import { shortened } from "../terminal/printable.ts";
import type { Terminal } from "../terminal/terminal.ts";

const FIRST_MS = 1_000;
const INTERVAL_MS = 1_000;
const ERASE = "\r\u001B[K";

export interface StatusLineOptions {
  readonly terminal: Terminal;
  /** The terminal can go back to the beginning of a line and erase it. */
  readonly erasable: boolean;
}

/** One line that says that something goes on while nothing else is shown; gone as soon as anything is. */
export class StatusLine {
  readonly #options: StatusLineOptions;
  #timer: NodeJS.Timeout | undefined;
  #since = 0;
  #text = "";
  #drawn = false;

  constructor(options: StatusLineOptions) {
    this.#options = options;
  }

  /** Begins, or says what goes on now. */
  begin(text: string): void {
    this.end();
    this.#text = text;
    this.#since = performance.now();
    if (!this.#options.erasable) return;
    this.#timer = setInterval(() => this.#draw(), INTERVAL_MS);
    this.#timer.unref();
  }

  /** Says it in other words, with the time that has passed. */
  say(text: string): void {
    this.#text = text;
  }

  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (!this.#drawn) return;
    this.#drawn = false;
    this.#options.terminal.stream.write(ERASE);
  }

  #draw(): void {
    const passed = performance.now() - this.#since;
    if (passed < FIRST_MS) return;
    const { stream, colours, width } = this.#options.terminal;
    const line = shortened(`${seconds(passed)}, ${this.#text}`, width - 3);
    this.#drawn = true;
    stream.write(`${ERASE}${colours.dim(`  ${line}`)}`);
  }
}
