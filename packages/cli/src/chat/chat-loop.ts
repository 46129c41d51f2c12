import type { CodingSession, TurnResult, TurnSink } from "@acumen/agent";
import { AcumenError, createId } from "@acumen/core";
import { keyHelp } from "../agent/language-model.ts";
import type { OpenedAgent } from "../agent/open-agent.ts";
import { codedError } from "../coded-error.ts";
import type { CommandContext } from "../command-context.ts";
import type { ChatFlags } from "../commands/chat.ts";
import { EXIT_CODES } from "../exit-code.ts";
import { missingText } from "../run/missing-text.ts";
import { TurnRecord } from "../run/turn-record.ts";
import { printable } from "../terminal/printable.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { wrap } from "../terminal/wrap.ts";
import type { ChatInput } from "./chat-input.ts";
import type { ChatSession } from "./chat-session.ts";
import type { ChatView } from "./chat-view.ts";
import { headLines, lastExchange, turnEndLines } from "./heading.ts";
import type { Keyboard } from "./keyboard.ts";
import type { Person } from "./person.ts";
import { ServerNotices } from "./server-notices.ts";
import type { ChatRoom } from "./slash-commands/slash-command.ts";
import { meaningOf } from "./slash-commands/slash-commands.ts";

export interface ChatLoopOptions {
  readonly opened: OpenedAgent;
  readonly context: CommandContext;
  readonly flags: ChatFlags;
  readonly terminal: Terminal;
  readonly keyboard: Keyboard;
  readonly view: ChatView;
  readonly person: Person;
  readonly input: ChatInput;
  readonly current: ChatSession;
}

const EXIT_INTERRUPTED = 130;

/** Prompt after prompt, until the person leaves. */
export class ChatLoop {
  readonly #options: ChatLoopOptions;
  readonly #notices: ServerNotices;
  /** Ctrl-C was the last thing that happened. */
  #interrupted = false;
  #left: number | undefined;

  constructor(options: ChatLoopOptions) {
    this.#options = options;
    const { terminal, input, view } = options;
    this.#notices = new ServerNotices({
      look: terminal,
      show: (lines) => input.above(() => view.notice(...lines)),
    });
  }

  /**
   * @returns the exit code
   * @throws the reason of the signal that ended it
   */
  async run(): Promise<number> {
    const { context, input, current, view } = this.#options;
    using _notices = this.#notices;
    this.#head();
    while (this.#left === undefined) {
      context.signal.throwIfAborted();
      const typed = await input.ask(`${current.session.effectiveMode}> `);
      if (typed.type === "end") {
        view.print("");
        this.#left = EXIT_CODES.done;
      } else if (typed.type === "interrupt") this.#interrupt(typed.empty);
      else if (typed.text.trim() !== "") {
        this.#interrupted = false;
        await this.#carryOut(typed.text);
      }
    }
    this.#farewell();
    return this.#left;
  }

  get #quiet(): boolean {
    return this.#options.flags.quiet === true;
  }

  get #session(): CodingSession {
    return this.#options.current.session;
  }

  #interrupt(wasEmpty: boolean): void {
    if (wasEmpty && this.#interrupted) this.#left = EXIT_INTERRUPTED;
    else if (wasEmpty) this.#options.view.say("Ctrl-C again leaves.");
    this.#interrupted = wasEmpty;
  }

  async #carryOut(line: string): Promise<void> {
    const { view, context } = this.#options;
    const meaning = meaningOf(line);
    try {
      if (meaning.type === "prompt") await this.#turn(line);
      else if (meaning.type === "typo") {
        view.print(
          `There is no /${meaning.word}. Did you mean /${meaning.meant}? /help lists all.`,
        );
      } else if ((await meaning.command.run(this.#room(), meaning.words)) === "leave") {
        this.#left = EXIT_CODES.done;
      }
    } catch (error) {
      if (context.signal.aborted) throw error;
      this.#failed(error);
    }
  }

  async #turn(text: string): Promise<void> {
    const { opened, view } = this.#options;
    const missing = await missingText([{ type: "text", text }], this.#session);
    if (missing !== undefined) view.say(missing);
    const waiting = await this.#notices.prompted();
    if (waiting !== undefined) view.say(waiting);
    const record = new TurnRecord();
    const startedAt = performance.now();
    view.beginTurn();
    let result: TurnResult;
    try {
      result = await this.#cancellable((signal) =>
        opened.agent.runtime.runPrompt(this.#session, [{ type: "text", text }], {
          signal,
          source: "chat",
          sink: this.#sink(record),
        }),
      );
    } finally {
      view.endTurn();
    }
    if (result.stopReason === "cancelled") this.#options.context.signal.throwIfAborted();
    view.print(
      ...turnEndLines(result, {
        record,
        session: this.#session,
        milliseconds: performance.now() - startedAt,
        quiet: this.#quiet,
        terminal: this.#options.terminal,
      }),
    );
  }

  #sink(record: TurnRecord): TurnSink {
    const { view } = this.#options;
    return {
      event: (event) => {
        record.event(event);
        view.event(event);
      },
      update: (update) => view.update(update),
    };
  }

  /** The first Ctrl-C cancels the work, the second one the chat. */
  async #cancellable<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { keyboard, context, person } = this.#options;
    const controller = new AbortController();
    const interrupt = (): void => {
      if (controller.signal.aborted || keyboard.ended) this.#left = EXIT_INTERRUPTED;
      this.#interrupted = true;
      controller.abort();
    };
    person.onGivenUp = interrupt;
    const signal = AbortSignal.any([context.signal, controller.signal]);
    return keyboard.interruptible(interrupt, () => work(signal));
  }

  #room(): ChatRoom {
    const { opened, context, terminal, person, view, current } = this.#options;
    const print = (...lines: readonly string[]): void =>
      view.print(...lines.flatMap((line) => this.#fitted(line)));
    return {
      opened,
      context,
      terminal,
      person,
      get session() {
        return current.session;
      },
      print,
      tell: async (...lines) => {
        print(...lines);
        const text = lines.join("\n");
        await current.session.record({
          type: "ASSISTANT_MESSAGE",
          payload: { message_id: createId(), kind: "command", text, skill_ids: [] },
        });
      },
      answering: (server) => this.#notices.answering(server),
      cancellable: (work) => this.#cancellable(work),
      resume: async (id) => {
        const isSame = id === current.session.id;
        await current.resume(id);
        if (!isSame) this.#head();
        this.#notices.follow(current.session);
      },
      begin: async () => {
        await current.begin();
        this.#head();
      },
    };
  }

  #head(): void {
    const { current, terminal, view } = this.#options;
    if (!this.#quiet) view.print(...headLines(current, terminal));
    view.print(...lastExchange(current.session.events, terminal));
    this.#notices.follow(current.session);
  }

  #fitted(line: string): string[] {
    const { width } = this.#options.terminal;
    return line.length <= width || line.includes("\u001B") ? [line] : wrap(line, width);
  }

  /** One line that says what to do; an event may have said it already. */
  #failed(cause: unknown): void {
    const { context, opened, view, terminal } = this.#options;
    const { colours, width } = terminal;
    if (AcumenError.isInstance(cause) && isGivenUp(cause)) {
      view.say("Cancelled.");
      return;
    }
    const error = codedError(cause, context.signal);
    const last = this.#session.events.findLast(({ type }) => type === "ERROR");
    const wasSaid =
      last?.type === "ERROR" &&
      last.payload.code === error.code &&
      last.payload.message === error.message &&
      last.seq > (this.#session.events.findLast(({ type }) => type === "USER_MESSAGE")?.seq ?? 0);
    view.print(
      ...(wasSaid
        ? []
        : wrap(printable(`${error.code}: ${error.message}`), width - 2, "  ").map(colours.red)),
      ...keyHelp(error, opened.loaded).map((line) => `  ${line}`),
    );
  }

  #farewell(): void {
    const { view, current } = this.#options;
    if (this.#quiet || !current.isUsed) return;
    view.say(`\`acumen --session ${this.#session.id}\` goes on with it.`);
  }
}

function isGivenUp({ code }: AcumenError): boolean {
  return code === "CORE_ABORTED" || code === "CLI_INTERRUPTED";
}
