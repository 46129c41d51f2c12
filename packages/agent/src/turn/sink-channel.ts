import { type Logger, untilAborted } from "@acumen/core";
import type { SessionEvent } from "../events/session-event.ts";
import type { TransientUpdate, TurnSink } from "./turn-sink.ts";

/** How long the end of a cancelled turn waits for a sink that still reads. */
const CLOSING_MS = 200;
/** Output of one call that waits for a slow sink, in characters; older text is dropped. */
const MAX_WAITING_OUTPUT = 64 * 1024;

/**
 * Hands events and updates to a sink in order. A sink that throws is logged and goes on to be told; one that is slow is
 * waited for, until the turn is aborted.
 */
export class SinkChannel {
  readonly #sink: TurnSink | undefined;
  readonly #signal: AbortSignal;
  readonly #logger: Logger;
  readonly #output = new Map<string, string>();
  #busy: Promise<void> | undefined;

  constructor(
    sink: TurnSink | undefined,
    { signal, logger }: { readonly signal: AbortSignal; readonly logger: Logger },
  ) {
    this.#sink = sink;
    this.#signal = signal;
    this.#logger = logger;
  }

  /** Whether somebody watches more than the events. */
  get takesUpdates(): boolean {
    return this.#sink?.update !== undefined;
  }

  event(event: SessionEvent): Promise<void> | undefined {
    const sink = this.#sink;
    return sink === undefined ? undefined : this.#deliver(() => sink.event(event));
  }

  /** Undefined: the sink took it at once. */
  update(update: TransientUpdate): Promise<void> | undefined {
    const sink = this.#sink;
    if (sink?.update === undefined) return undefined;
    return this.#deliver(() => sink.update?.(update));
  }

  /** Output of a running call; what a slow sink has not taken yet is joined, and bounded. */
  output(turnId: string, callId: string, text: string): void {
    if (this.#sink?.update === undefined) return;
    const waiting = this.#output.get(callId);
    this.#output.set(callId, `${waiting ?? ""}${text}`.slice(-MAX_WAITING_OUTPUT));
    if (waiting !== undefined) return;
    void this.#deliver(() => {
      const taken = this.#output.get(callId) ?? "";
      this.#output.delete(callId);
      return this.#sink?.update?.({
        type: "tool_output",
        turn_id: turnId,
        call_id: callId,
        text: taken,
      });
    });
  }

  /** Waits until everything was taken; after an abort only for a moment. */
  async close(): Promise<void> {
    if (this.#busy === undefined) return;
    try {
      await untilAborted(this.#busy, this.#signal);
    } catch {
      await Promise.race([this.#busy, moment(CLOSING_MS)]);
    }
  }

  #deliver(send: () => void | Promise<void>): Promise<void> | undefined {
    const sent =
      this.#busy === undefined ? this.#send(send) : this.#busy.then(() => this.#send(send));
    if (sent === undefined) return undefined;
    this.#busy = sent;
    void sent.then(() => {
      if (this.#busy === sent) this.#busy = undefined;
    });
    return untilAborted(sent, this.#signal).catch(() => undefined);
  }

  #send(send: () => void | Promise<void>): Promise<void> | undefined {
    try {
      const sent = send();
      return sent instanceof Promise ? sent.catch((error: unknown) => this.#log(error)) : undefined;
    } catch (error) {
      this.#log(error);
      return undefined;
    }
  }

  #log(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    // A watcher that ends with the turn it watches is none that failed.
    const level = this.#signal.aborted ? "debug" : "warn";
    this.#logger[level]("a watcher of the turn failed", { reason });
  }
}

function moment(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });
}
