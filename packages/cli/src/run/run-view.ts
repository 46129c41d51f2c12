import type { SessionEvent, TransientUpdate } from "@acumen/agent";
import { progressLines, retryLine } from "../events/event-lines.ts";
import { safeText } from "../terminal/printable.ts";
import type { Terminal, TextStream } from "../terminal/terminal.ts";
import { WholeCharacters } from "../terminal/whole-characters.ts";
import { wrap } from "../terminal/wrap.ts";

export interface RunViewOptions {
  /** Takes the final text; undefined under `--json`. */
  readonly stdout: TextStream | undefined;
  /** On stderr; takes everything else. */
  readonly terminal: Terminal;
}

/**
 * A turn for people. On a terminal the model's text appears while it is made. For a pipe or file a message is held back until
 * it is known to be the last one: what the model says between its calls is progress and goes to stderr.
 */
export class RunView {
  readonly #stdout: TextStream | undefined;
  readonly #terminal: Terminal;
  readonly #live: boolean;
  /** What stands at the end of an unfinished line of stdout. */
  #openLine = false;
  #streamed: string | undefined;
  readonly #characters = new WholeCharacters();
  #held = "";

  constructor({ stdout, terminal }: RunViewOptions) {
    this.#stdout = stdout;
    this.#terminal = terminal;
    this.#live = stdout?.isTTY === true;
  }

  update(update: TransientUpdate): void {
    if (update.type === "model_retry") {
      this.breakLine();
      this.#terminal.print(retryLine(update, this.#terminal));
    }
    if (update.type !== "delta" || update.kind !== "assistant" || !this.#live) return;
    if (this.#streamed !== update.message_id) {
      this.#characters.clear();
      this.breakLine();
    }
    this.#streamed = update.message_id;
    this.#write(this.#characters.push(update.text));
  }

  event(event: SessionEvent): void {
    if (event.type === "ASSISTANT_MESSAGE") {
      this.#message(event.payload);
      return;
    }
    const lines = progressLines(event, this.#terminal);
    if (lines.length === 0) return;
    this.#remark();
    this.breakLine();
    this.#terminal.print(...lines);
  }

  /** A line of progress. */
  say(text: string): void {
    this.breakLine();
    const { dim } = this.#terminal.colours;
    this.#terminal.print(...wrap(safeText(text), this.#terminal.width).map(dim));
  }

  /** The end of a turn: its text, where that has not been shown already. */
  finish(text: string): void {
    this.#held = "";
    this.breakLine();
    if (this.#live || this.#stdout === undefined || text === "") return;
    this.#stdout.write(text.endsWith("\n") ? text : `${text}\n`);
  }

  /** Ends an unfinished line of stdout, so that nothing else stands behind it on a terminal. */
  breakLine(): void {
    if (!this.#openLine) return;
    this.#openLine = false;
    this.#stdout?.write("\n");
  }

  #message({ kind, message_id: id, text }: MessagePayload): void {
    if (kind === "command") this.say(text);
    if (kind !== "assistant") return;
    if (!this.#live) {
      this.#held = text;
      return;
    }
    // A model that does not stream.
    if (this.#streamed !== id) this.#write(text);
    this.breakLine();
  }

  /** What was held back turned out to be said on the way. */
  #remark(): void {
    const text = this.#held.trim();
    this.#held = "";
    if (text === "") return;
    const { width } = this.#terminal;
    for (const line of safeText(text).split("\n")) this.#terminal.print(...wrap(line, width));
  }

  #write(text: string): void {
    const shown = safeText(text);
    if (shown === "") return;
    this.#stdout?.write(shown);
    this.#openLine = !shown.endsWith("\n");
  }
}

type MessagePayload = Extract<SessionEvent, { type: "ASSISTANT_MESSAGE" }>["payload"];
