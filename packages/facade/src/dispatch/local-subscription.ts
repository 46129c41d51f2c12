import { type Clock, createId } from "@acumen/core";
import type { AcpEvent } from "../envelope/acp-event.ts";
import { eventMatcher } from "../events/event-filter.ts";
import type { AcpEventData } from "../events/event-types.ts";
import { frame } from "../events/subscriber.ts";
import type { EventFilter } from "../services/event-queue-service.ts";

export type ClosedReason = AcpEventData<"subscription.closed">["reason"];

export interface LocalSubscriptionOptions {
  readonly owner: string;
  readonly filter: EventFilter;
  readonly buffer: number;
  readonly clock: Clock;
}

/** What a queue's callback was given, until somebody reads it. The queue keeps no log, so what was missed cannot come again. */
export class LocalSubscription {
  /** Of the queue that calls back, where it gave one that can be used. */
  id = createId();
  readonly owner: string;
  readonly filter: EventFilter;
  readonly #options: LocalSubscriptionOptions;
  readonly #matches: (event: AcpEvent) => boolean;
  readonly #events: AcpEvent[] = [];
  #closed: ClosedReason | "lagged" | undefined;
  /** Seq of the last event that was read, or passed by. */
  #position = 0;
  #count = 0;
  #isNew = true;
  /** Of the newest reader; an older one ends. */
  #reader = 0;
  #isWaiting = false;
  #readAt: number;
  #wake: () => void = () => undefined;

  constructor(options: LocalSubscriptionOptions) {
    this.owner = options.owner;
    this.filter = options.filter;
    this.#options = options;
    this.#matches = eventMatcher(options.filter);
    this.#readAt = options.clock.monotonicMs();
  }

  /** It gets nothing more. */
  get isOver(): boolean {
    return this.#closed !== undefined;
  }

  /** Whatever a queue calls back with; returns at once and never throws. */
  readonly accept = (given: unknown): void => {
    const event = this.isOver ? undefined : this.#eventOf(given);
    if (event === undefined || !this.#matches(event)) return;
    if (this.#events.length < this.#options.buffer) this.#events.push(event);
    else this.#closed = "lagged";
    this.#wake();
  };

  close(reason: ClosedReason): void {
    this.#closed ??= reason;
    this.#events.length = 0;
    this.#wake();
  }

  /** Milliseconds since somebody last asked for an event; 0 while somebody waits for one. */
  unreadMs(): number {
    return this.#isWaiting ? 0 : this.#options.clock.monotonicMs() - this.#readAt;
  }

  /** Begins with a `snapshot` frame; ends when the signal aborts, or with a frame that says why. */
  async *read(signal: AbortSignal): AsyncGenerator<AcpEvent, void, undefined> {
    const reader = ++this.#reader;
    this.#wake();
    const isReader = (): boolean => this.#reader === reader && !signal.aborted;
    const onAbort = (): void => this.#wake();
    signal.addEventListener("abort", onAbort);
    try {
      if (this.#isNew && isReader()) {
        this.#isNew = false;
        yield this.#frame("snapshot", { subscription_id: this.id, cursor: this.#position });
      }
      while (isReader()) {
        this.#asked();
        const event = this.#events.shift();
        if (event !== undefined) {
          this.#position = event.seq;
          yield event;
        } else if (this.isOver) break;
        else await this.#woken();
      }
      if (!signal.aborted) yield this.#lastFrame(reader);
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#asked();
    }
  }

  async #woken(): Promise<void> {
    this.#isWaiting = true;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#isWaiting = false;
  }

  #asked(): void {
    this.#readAt = this.#options.clock.monotonicMs();
  }

  /** A user's own queue may give less than an event of ours has. */
  #eventOf(given: unknown): AcpEvent | undefined {
    if (typeof given !== "object" || given === null) return undefined;
    const event = given as Partial<AcpEvent>;
    if (typeof event.event_type !== "string") return undefined;
    this.#count += 1;
    return {
      ...event,
      event_id: event.event_id ?? createId(),
      event_type: event.event_type,
      plan_id: event.plan_id ?? null,
      session_id: event.session_id ?? null,
      data: event.data ?? {},
      timestamp: event.timestamp ?? this.#options.clock.now().toISOString(),
      seq: event.seq ?? this.#count,
    };
  }

  #lastFrame(reader: number): AcpEvent {
    const at = { subscription_id: this.id, resume_after: this.#position };
    if (this.#reader !== reader)
      return this.#frame("subscription.closed", { ...at, reason: "replaced" });
    if (this.#closed === "lagged") return this.#frame("subscription.lagged", at);
    return this.#frame("subscription.closed", { ...at, reason: this.#closed ?? "released" });
  }

  #frame<Type extends "snapshot" | "subscription.lagged" | "subscription.closed">(
    type: Type,
    data: AcpEventData<Type>,
  ): AcpEvent {
    const { filter } = this;
    const { clock } = this.#options;
    return frame(type, data, { filter, seq: this.#position, now: clock.now() });
  }
}
