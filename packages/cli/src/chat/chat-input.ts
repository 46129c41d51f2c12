import { PassThrough, type Writable } from "node:stream";
import {
  clearScreenDown,
  createInterface,
  cursorTo,
  type Interface,
  moveCursor,
} from "node:readline";
import { untilAborted } from "@acumen/core";
import { safeText } from "../terminal/printable.ts";
import type { ChatHistory } from "./chat-history.ts";
import type { Complete } from "./completion.ts";
import type { Keyboard, KeyHolder } from "./keyboard.ts";
import { PasteReader, PastedTexts } from "./pasted-text.ts";

/** What a person did at the prompt. */
export type Typed =
  | { readonly type: "text"; readonly text: string }
  /** Ctrl-C; `empty`: there was nothing on the line that it could have cleared. */
  | { readonly type: "interrupt"; readonly empty: boolean }
  /** Ctrl-D on an empty line, or no terminal any more. */
  | { readonly type: "end" };

export interface ChatInputOptions {
  readonly keyboard: Keyboard;
  readonly output: Writable;
  /** The terminal can move its cursor. */
  readonly capable: boolean;
  readonly history: ChatHistory;
  readonly complete: Complete;
  readonly signal: AbortSignal;
}

const MORE = "... ";

/** A prompt with editing, history and completion; a `\` at the end of a line, or a paste, makes a text of several lines. */
export class ChatInput {
  readonly #options: ChatInputOptions;
  readonly #pasted = new PastedTexts();
  #redraw: (() => void) | undefined;
  /** The prompt that waits. */
  #reader: Interface | undefined;

  constructor(options: ChatInputOptions) {
    this.#options = options;
  }

  /** @throws the signal's reason */
  async ask(prompt: string): Promise<Typed> {
    const lines: string[] = [];
    for (;;) {
      const typed = await this.#line(lines.length === 0 ? prompt : MORE);
      if (typed.type === "interrupt") {
        return { type: "interrupt", empty: typed.empty && lines.length === 0 };
      }
      if (typed.type === "end") return lines.length === 0 ? typed : joined(lines);
      if (/(?<!\\)(?:\\\\)*\\$/.test(typed.text)) {
        lines.push(typed.text.slice(0, -1));
        continue;
      }
      const shown = [...lines, typed.text].join("\n");
      const text = this.#pasted.whole(shown);
      await this.#options.history.add(shown, text);
      return { type: "text", text };
    }
  }

  /** Draws the prompt again, after something else took the screen. */
  redraw(): void {
    this.#redraw?.();
  }

  /** Lets something be written above the prompt, with what was typed so far kept; at once where no prompt waits. */
  above(write: () => void): void {
    const reader = this.#reader;
    if (reader === undefined) {
      write();
      return;
    }
    const { output, capable } = this.#options;
    if (!capable) {
      output.write("\n");
      write();
      output.write(`${reader.getPrompt()}${reader.line}`);
      return;
    }
    const { rows } = reader.getCursorPos();
    moveCursor(output, 0, -rows);
    cursorTo(output, 0);
    clearScreenDown(output);
    write();
    // It goes back to where it believes its first line to be.
    output.write("\n".repeat(rows));
    reader.prompt(true);
  }

  async #line(prompt: string): Promise<Typed> {
    const { keyboard, output, history, complete, signal } = this.#options;
    const keys = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
    const reader = createInterface({
      input: keys,
      output,
      terminal: true,
      prompt,
      history: [...history.entries],
      historySize: history.entries.length + 1,
      completer: (line: string, done: Completed) => {
        void answer(complete, line, done);
      },
    });
    const typed = new Promise<Typed>((resolve) => {
      reader.on("line", (text) => resolve({ type: "text", text }));
      reader.on("SIGINT", () => {
        output.write("^C\n");
        resolve({ type: "interrupt", empty: reader.line === "" });
      });
      reader.on("close", () => resolve({ type: "end" }));
    });
    const paste = new PasteReader((text) =>
      /\p{Cc}/u.test(text) ? this.#pasted.name(text) : safeText(text),
    );
    const holder: KeyHolder = {
      keys: (text) => {
        const rest = paste.take(text);
        if (rest !== "") keys.write(rest);
      },
      end: () => reader.close(),
    };
    this.#redraw = () => reader.prompt(true);
    this.#reader = reader;
    reader.prompt();
    try {
      return await keyboard.held(holder, () => untilAborted(typed, signal));
    } finally {
      this.#redraw = undefined;
      this.#reader = undefined;
      reader.close();
      keys.destroy();
    }
  }
}

type Completed = (error: null, found: [hits: string[], end: string]) => void;

async function answer(complete: Complete, line: string, done: Completed): Promise<void> {
  let found: [hits: string[], end: string] = [[], line];
  try {
    found = await complete(line);
  } finally {
    done(null, found);
  }
}

function joined(lines: readonly string[]): Typed {
  return { type: "text", text: lines.join("\n") };
}
