import type { EventType, SessionEvent, TransientUpdate } from "@acumen/agent";
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { eventMeta } from "./event-record.ts";
import { EVENT_ROWS, type EventRow } from "./event-rows.ts";
import { LiveOutput } from "./live-output.ts";
import { MappingContext, type SessionUpdatesOptions } from "./mapping-context.ts";
import { textUpdate } from "./message-updates.ts";
import { cutOffUpdate, outputUpdate, startedUpdate, terminalUpdate } from "./tool-updates.ts";
import { WaitingUpdates } from "./waiting-updates.ts";
import { sendable } from "./wire-text.ts";

export interface LiveSessionUpdatesOptions extends SessionUpdatesOptions {
  /** Told that `ofLate` has something: output of a running call that nothing followed for a while. */
  readonly late?: () => void;
}

/**
 * Events and what is transient as updates of the protocol; the same code live and in replay. Takes every event of a session in
 * the order of the log, those outside of turns too.
 *
 * What is said in words belongs into a turn. What happened outside of one waits until the log goes on with an event of a turn,
 * so that live and in replay it is said at the same place. That event is no message of the model: live those are shown before they
 * are logged.
 */
export class SessionUpdates {
  readonly #context: MappingContext;
  readonly #waiting = new WaitingUpdates();
  readonly #output: LiveOutput;
  /** Of the local command that ran last; it belongs to no turn of the model. */
  #command: "none" | "runs" | "answered" = "none";

  constructor(options: LiveSessionUpdatesOptions) {
    this.#context = new MappingContext(options);
    this.#output = new LiveOutput(options.late);
  }

  ofTransient(update: TransientUpdate): readonly SessionUpdate[] {
    return sendable(this.#ofTransient(update));
  }

  /** From now on the host's terminal shows what a call puts out. */
  ofTerminal(callId: string, terminalId: string): readonly SessionUpdate[] {
    const open = this.#context.openCalls.get(callId);
    if (open === undefined) return [];
    const shown = { ...open, terminalId };
    this.#context.openCalls.set(callId, shown);
    return sendable([terminalUpdate(shown)]);
  }

  /** To be asked in order with the others: what has ended by then is left out. */
  ofLate(): readonly SessionUpdate[] {
    const due = this.#output.takeDue();
    return sendable(due.flatMap(({ callId, text }) => this.#outputOf(callId, text)));
  }

  ofEvent(event: SessionEvent): readonly SessionUpdate[] {
    this.#context.note(event);
    const cutOff = this.#cutOff(event);
    const own = this.#mapped(event);
    const isInTurn = this.#isInTurn(event);
    if (!isInTurn && EVENT_ROWS[event.type].isSaid === true) {
      this.#waiting.add(event.seq, own);
      return sendable(cutOff);
    }
    const others = isInTurn && !isStreamed(event) ? this.#waiting.takeBefore(event.seq) : [];
    const isPrompt = event.type === "USER_MESSAGE";
    return sendable([...cutOff, ...(isPrompt ? own : others), ...(isPrompt ? others : own)]);
  }

  /**
   * For the end of a turn and of a replay: calls without a result have failed. After a replay also what waits for a turn; leave
   * it out where the session is open already and goes on.
   */
  unfinished(): readonly SessionUpdate[] {
    this.#context.streamed.clear();
    const others = this.#context.replay ? this.#waiting.takeBefore(Number.POSITIVE_INFINITY) : [];
    return sendable([...this.#closed(() => true), ...others]);
  }

  #ofTransient(update: TransientUpdate): readonly SessionUpdate[] {
    if (update.type === "delta") {
      const text = this.#context.streamed.push(update.message_id, update.text);
      return text === "" ? [] : [textUpdate(update.kind, update.message_id, text)];
    }
    if (update.type === "tool_started") {
      const open = this.#context.openCalls.get(update.call_id);
      return open === undefined ? [] : [startedUpdate(open)];
    }
    if (update.type === "tool_output" && this.#showsOutput(update.call_id)) {
      const shown = this.#output.add(update.call_id, update.text);
      return shown === undefined ? [] : this.#outputOf(update.call_id, shown);
    }
    return [];
  }

  #showsOutput(callId: string): boolean {
    const open = this.#context.openCalls.get(callId);
    return open !== undefined && open.terminalId === undefined;
  }

  #outputOf(callId: string, text: string): readonly SessionUpdate[] {
    const open = this.#context.openCalls.get(callId);
    return open === undefined ? [] : [outputUpdate(open, text)];
  }

  #mapped(event: SessionEvent): readonly SessionUpdate[] {
    if (event.type === "TOOL_RESULT") this.#output.end(event.payload.call_id);
    // Type and row belong together, which is more than the type checker can follow here.
    const row = EVENT_ROWS[event.type] as unknown as EventRow<EventType>;
    const updates = row.map(event, this.#context);
    const record = updates.length > 0 && { _meta: eventMeta(event) };
    return updates.map((update) => ({ ...update, ...record }));
  }

  #isInTurn({ type, payload, turn_id: turnId }: SessionEvent): boolean {
    if (turnId !== null) this.#command = "none";
    else if (type === "USER_MESSAGE") this.#command = "runs";
    if (turnId !== null || type === "USER_MESSAGE") return true;
    const isAnswer = type === "ASSISTANT_MESSAGE" && payload.kind === "command";
    if (!isAnswer || this.#command === "none") return this.#command === "runs";
    // A command may say more than its output: that a mode acts as another one.
    this.#command = "answered";
    return true;
  }

  /** Calls of former turns: the process ended before they did. */
  #cutOff({ type, turn_id: turnId }: SessionEvent): readonly SessionUpdate[] {
    if (type === "SESSION_RESUMED") return this.#closed(() => true);
    return turnId === null ? [] : this.#closed((other) => other !== turnId);
  }

  #closed(isOver: (turnId: string | null) => boolean): readonly SessionUpdate[] {
    const { openCalls } = this.#context;
    const over = [...openCalls.values()].filter((open) => isOver(open.turnId));
    for (const { call } of over) {
      openCalls.delete(call.call_id);
      this.#output.end(call.call_id);
    }
    return over.map(cutOffUpdate);
  }
}

function isStreamed({ type, payload }: SessionEvent): boolean {
  return type === "ASSISTANT_MESSAGE" && payload.kind !== "command";
}
