import type { EventPayload, SessionEvent, TransientUpdate } from "@acumen/agent";
import { retryLine } from "../events/event-lines.ts";
import { printable, safeText } from "../terminal/printable.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { WholeCharacters } from "../terminal/whole-characters.ts";
import { wrap } from "../terminal/wrap.ts";
import { chatLines, resultLines, THOUGHT, thoughtLines } from "./chat-lines.ts";
import { StatusLine } from "./status-line.ts";

type Delta = Extract<TransientUpdate, { type: "delta" }>;
type Call = EventPayload<"TOOL_CALL">;

const WORKING = "working; Ctrl-C cancels";

/** Shows a session while it happens: text as it comes, and a line or some for everything else. */
export class ChatView {
  readonly #terminal: Terminal;
  readonly #status: StatusLine;
  readonly #calls = new Map<string, Call>();
  /** Calls whose whole change was shown when they were asked for. */
  readonly #shown = new Set<string>();
  /** A message of the model that is being written. */
  #open: { readonly id: string; readonly kind: Delta["kind"]; text: string } | undefined;
  /** Messages that were written while they came. */
  readonly #streamed = new Set<string>();
  readonly #characters = new WholeCharacters();
  #midLine = false;
  /** The call whose title was written last. */
  #above: string | undefined;
  /** What has to wait while somebody is asked. */
  #held: (() => void)[] | undefined;
  /** What has to wait for the end of a message. */
  #notices: string[] = [];
  #working = false;

  constructor(terminal: Terminal, { erasable }: { readonly erasable: boolean }) {
    this.#terminal = terminal;
    this.#status = new StatusLine({ terminal, erasable });
  }

  beginTurn(): void {
    this.#working = true;
    this.#wait(WORKING);
  }

  endTurn(): void {
    this.#working = false;
    this.#status.end();
    this.#endMessage();
    this.#showNotices();
    this.#calls.clear();
    this.#shown.clear();
    this.#streamed.clear();
    this.#above = undefined;
  }

  /** Shows nothing until {@link release}, because somebody is asked; `about` a call, perhaps with its whole change. */
  hold(about: { readonly callId?: string; readonly showsChange?: boolean } = {}): void {
    const { callId, showsChange = false } = about;
    this.#status.end();
    this.#endMessage();
    if (callId !== undefined && showsChange) this.#shown.add(callId);
    this.#above = callId;
    this.#held ??= [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const show of held) show();
    this.#wait(WORKING);
  }

  update(update: TransientUpdate): void {
    if (this.#held !== undefined) {
      if (update.type === "delta") this.#held.push(() => this.update(update));
      return;
    }
    if (update.type === "delta") this.#delta(update);
    if (update.type === "tool_output") this.#status.say(lastLine(update.text));
    if (update.type === "model_retry") {
      this.print(retryLine(update, this.#terminal));
    }
  }

  event(event: SessionEvent): void {
    if (this.#held !== undefined) {
      this.#held.push(() => this.event(event));
      return;
    }
    this.#show(event);
    this.#showNotices();
  }

  /** Lines about something else than the turn: they interrupt no message and no question. */
  notice(...lines: readonly string[]): void {
    if (this.#held !== undefined) {
      this.#held.push(() => this.notice(...lines));
      return;
    }
    this.#notices.push(...lines);
    if (this.#open === undefined) this.#showNotices();
  }

  #showNotices(): void {
    const lines = this.#notices;
    this.#notices = [];
    this.print(...lines);
  }

  #show(event: SessionEvent): void {
    const { type, payload } = event;
    if (type === "ASSISTANT_MESSAGE") this.#message(payload);
    else if (type === "TOOL_CALL") {
      this.#calls.set(payload.call_id, payload);
      this.print(...chatLines(event, this.#terminal));
      this.#above = payload.call_id;
      this.#wait(printable(payload.title));
    } else if (type === "TOOL_RESULT") {
      const { call_id: id } = payload;
      const facts = {
        call: this.#calls.get(id),
        isAbove: this.#above === id,
        wasShown: this.#shown.has(id),
      };
      this.print(...resultLines(payload, facts, this.#terminal));
    } else this.print(...chatLines(event, this.#terminal));
  }

  /** Lines as they are. */
  print(...lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.#status.end();
    this.#endMessage();
    this.#above = undefined;
    this.#terminal.print(...lines);
    this.#wait(WORKING);
  }

  /** A remark. */
  say(text: string): void {
    const { colours, width } = this.#terminal;
    this.print(
      ...safeText(text)
        .split("\n")
        .flatMap((line) => wrap(line, width))
        .map(colours.dim),
    );
  }

  #delta({ message_id: id, kind, text }: Delta): void {
    this.#status.end();
    if (this.#open?.id !== id) {
      this.#endMessage();
      this.#open = { id, kind, text: "" };
      this.#above = undefined;
    }
    const { colours } = this.#terminal;
    const piece = this.#characters.push(text);
    if (kind === "assistant") this.#write(safeText(piece));
    else if (this.#room() > 0) {
      // A thought is one paragraph that ends when it gets long.
      const more = this.#open.text === "" ? THOUGHT + piece.trimStart() : piece;
      const shown = cut(safeText(more).replace(/\s+/g, " "), this.#room());
      this.#open.text += shown;
      if (shown !== "") this.#write(colours.dim(shown));
      if (this.#room() === 0) this.#write(colours.dim(" …"));
    } else this.#wait("thinking; Ctrl-C cancels");
    this.#streamed.add(id);
  }

  #message({ kind, message_id: id, text }: EventPayload<"ASSISTANT_MESSAGE">): void {
    const wasStreamed = this.#streamed.has(id);
    this.#endMessage();
    if (kind === "command") this.say(text);
    else if (wasStreamed || text.trim() === "") return;
    else if (kind === "reasoning") this.print(...thoughtLines(text, this.#terminal));
    else this.print(...safeText(text).trimEnd().split("\n"));
  }

  /** Characters that a thought may still have. */
  #room(): number {
    return this.#terminal.width * 2 - (this.#open?.text.length ?? 0);
  }

  #endMessage(): void {
    this.#open = undefined;
    this.#characters.clear();
    if (this.#midLine) this.#terminal.stream.write("\n");
    this.#midLine = false;
  }

  #write(text: string): void {
    if (text === "") return;
    this.#terminal.stream.write(text);
    this.#midLine = !text.endsWith("\n");
  }

  /** Says after a while that something goes on. */
  #wait(text: string): void {
    if (this.#working && !this.#midLine && this.#held === undefined) this.#status.begin(text);
  }
}

/** To a length, and not through a character. */
function cut(text: string, length: number): string {
  const whole = new WholeCharacters();
  return whole.push(text.slice(0, length));
}

function lastLine(text: string): string {
  const lines = safeText(text).split("\n");
  return lines.findLast((line) => line.trim() !== "")?.trim() ?? WORKING;
}
