import { Writable } from "node:stream";
import type { SessionHost } from "@acumen/agent";
import { Mutex } from "@acumen/core";
import { answerTo } from "../run/answer-to.ts";
import { approvalChoices, approvalLines } from "../run/approval-lines.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { ChatView } from "./chat-view.ts";
import type { Keyboard } from "./keyboard.ts";
import { chatPrompts, type ChatPrompts } from "./plain-prompts.ts";

export interface PersonOptions {
  readonly keyboard: Keyboard;
  readonly terminal: Terminal;
  readonly view: ChatView;
  /** The terminal can move its cursor. */
  readonly capable: boolean;
  readonly colour: boolean;
}

/** What a question is about. */
interface About {
  readonly callId?: string;
  /** Shown above it. */
  readonly lines?: readonly string[];
  /** Among them is the whole change that the call would make. */
  readonly showsChange?: boolean;
}

/** Who sits at the terminal: one question at a time, with everything else held back until it is answered. */
export class Person {
  readonly #options: PersonOptions;
  readonly #turns = new Mutex();
  /** Ctrl-C or Esc at a question of the agent gives up the turn. */
  onGivenUp: () => void = () => undefined;

  constructor(options: PersonOptions) {
    this.#options = options;
  }

  /** @throws CLI_INTERRUPTED when the person gives up; the signal's reason */
  async ask<T>(
    signal: AbortSignal,
    question: (prompts: ChatPrompts) => Promise<T>,
    about: About = {},
  ): Promise<T> {
    const { keyboard, terminal, view, capable } = this.#options;
    return this.#turns.run(
      async () => {
        view.hold(about);
        try {
          terminal.print(...(about.lines ?? []));
          return await keyboard.asStream(async (input) =>
            question(
              await chatPrompts(
                { input, output: this.#output(), signal, gaveUp: "Given up." },
                capable,
              ),
            ),
          );
        } finally {
          view.release();
        }
      },
      { signal },
    );
  }

  /** What the agent asks this person. */
  host(): SessionHost {
    return {
      approvals: {
        request: async (request, signal) => {
          const choices = approvalChoices(request);
          const answer = await this.#answered(signal, () =>
            this.ask(signal, ({ select }) => select({ message: "Allow it?", options: choices }), {
              lines: approvalLines(request, this.#options.terminal),
              callId: request.callId,
              showsChange: request.diff.length > 0,
            }),
          );
          return choices.find(({ value }) => value === answer)?.value ?? "reject_once";
        },
      },
      questions: {
        ask: ({ callId, question, options }, signal) =>
          this.#answered(signal, () =>
            this.ask(signal, (prompts) => answerTo(prompts, question, options), { callId }),
          ),
      },
    };
  }

  async #answered<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (!signal.aborted) this.onGivenUp();
      throw error;
    }
  }

  /** The library that draws questions colours them whatever it is told. */
  #output(): Writable {
    const { stream } = this.#options.terminal;
    if (this.#options.colour) return stream as unknown as Writable;
    return uncoloured(stream);
  }
}

const ESCAPE = "\u001B";
const COLOURS = new RegExp(`${ESCAPE}\\[[\\d;]*m`, "g");

/** The same screen without colours; sequences that move the cursor stay. */
function uncoloured(stream: Terminal["stream"]): Writable {
  const output = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => {
      stream.write(String(chunk).replace(COLOURS, ""));
      done();
    },
  });
  return Object.assign(output, { isTTY: true, columns: stream.columns ?? 80 });
}
