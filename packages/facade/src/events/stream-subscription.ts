import { createId, type Clock, untilAborted } from "@acumen/core";
import type { AcpEvent } from "../envelope/acp-event.ts";
import type { JsonObject } from "../envelope/json-value.ts";
import type { EventFilter } from "../services/event-queue-service.ts";
import type { EventPage, EventQuery } from "../store/facade-store.ts";
import type { AcpEventData } from "./event-types.ts";
import { eventMatcher, isFiltering } from "./event-filter.ts";
import { frame, type Subscriber } from "./subscriber.ts";

export type ClosedReason = AcpEventData<"subscription.closed">["reason"];

export interface StreamSubscriptionOptions {
  readonly owner: string;
  readonly filter: EventFilter;
  /** Its events have a greater seq. */
  readonly after: number;
  /** It begins with the state of what it filters. */
  readonly wantsSnapshot: boolean;
  readonly buffer: number;
  readonly events: (query: EventQuery) => Promise<EventPage>;
  /** Seq of the newest event that was handed to subscribers. */
  readonly delivered: () => number;
  readonly dropped: () => void;
  readonly clock: Clock;
}

export interface ReadOptions {
  readonly signal: AbortSignal;
  /** Seq of the last event that the reader really has; default: where the last reader stopped. */
  readonly after?: number;
  readonly snapshot: () => Promise<JsonObject>;
  /** Told the seq up to which everything was read or is of no concern to the filter: where this reader can resume. */
  readonly reached?: (seq: number) => void;
}

const PAGE = 200;

/**
 * A subscription that is read like a file: first what the log holds after its position, then what comes. Nothing is kept for it while
 * nobody reads. An event counts as read when the next one is asked for, so what a broken reader had in hand comes again.
 */
export class StreamSubscription implements Subscriber {
  readonly id = createId();
  readonly owner: string;
  readonly filter: EventFilter;
  readonly #options: StreamSubscriptionOptions;
  readonly #matches: (event: AcpEvent) => boolean;
  readonly #isFiltering: boolean;
  #wantsSnapshot: boolean;
  #position: number;
  /** Seq of the newest event that was handed out since a reader caught up. */
  #newest = 0;
  #previous: number | null = null;
  /** Undefined unless a reader has caught up with the log. */
  #buffer: AcpEvent[] | undefined;
  #isLagged = false;
  #closed: ClosedReason | undefined;
  /** Of the newest reader; an older one ends. */
  #reader = 0;
  #isWaiting = false;
  #readAt: number;
  #wake: () => void = () => undefined;
  #reached: (seq: number) => void = () => undefined;

  constructor(options: StreamSubscriptionOptions) {
    const { owner, filter, after, wantsSnapshot, clock } = options;
    this.owner = owner;
    this.filter = filter;
    this.#options = options;
    this.#matches = eventMatcher(filter);
    this.#isFiltering = isFiltering(filter);
    this.#position = after;
    this.#wantsSnapshot = wantsSnapshot;
    this.#readAt = clock.monotonicMs();
  }

  /** Seq after which its next events begin. */
  get cursor(): number {
    return this.#position;
  }

  /** Its reader begins with a snapshot. */
  get isNew(): boolean {
    return this.#wantsSnapshot;
  }

  accept(event: AcpEvent): void {
    if (this.#buffer === undefined || event.seq <= this.#position) return;
    this.#newest = event.seq;
    if (!this.#matches(event)) {
      if (this.#buffer.length === 0 && this.#isWaiting) this.#moveTo(event.seq);
      return;
    }
    if (this.#buffer.length >= this.#options.buffer) {
      this.#isLagged = true;
      this.#buffer = undefined;
      this.#options.dropped();
    } else this.#buffer.push(event);
    this.#wake();
  }

  close(reason: ClosedReason): void {
    this.#closed ??= reason;
    this.#buffer = undefined;
    this.#wake();
  }

  /** Milliseconds since somebody last asked for an event; 0 while somebody waits for one. */
  unreadMs(): number {
    return this.#isWaiting ? 0 : this.#options.clock.monotonicMs() - this.#readAt;
  }

  /**
   * Ends when the signal aborts; after `subscription.lagged` or `subscription.closed`, which say where to resume.
   * @throws AcpError FACADE_CURSOR_EXPIRED
   */
  async *read(options: ReadOptions): AsyncGenerator<AcpEvent, void, undefined> {
    const { signal, after, snapshot, reached = () => undefined } = options;
    const reader = ++this.#reader;
    this.#wake();
    this.#buffer = undefined;
    this.#reached = reached;
    if (after !== undefined) {
      this.#position = after;
      this.#wantsSnapshot = false;
    }
    /** Where this reader stands, whatever a newer one does. */
    let own = this.#position;
    const goesOn = (): boolean => this.#goesOn(reader, signal);
    const onAbort = (): void => this.#wake();
    signal.addEventListener("abort", onAbort);
    try {
      if (this.#wantsSnapshot && goesOn()) {
        const state = await untilAborted(snapshot(), signal).catch((error: unknown) => {
          if (!signal.aborted) throw error;
        });
        if (state !== undefined && goesOn()) {
          yield this.#snapshotFrame(state);
          this.#asked();
          this.#wantsSnapshot = false;
        }
      }
      for await (const event of this.#tail(goesOn)) {
        yield event;
        this.#asked();
        own = event.seq;
        if (this.#reader === reader) this.#moveTo(event.seq);
      }
      if (!signal.aborted) yield this.#lastFrame(reader, own);
    } finally {
      signal.removeEventListener("abort", onAbort);
      if (this.#reader === reader) this.#buffer = undefined;
      this.#asked();
    }
  }

  async *#tail(goesOn: () => boolean): AsyncGenerator<AcpEvent, void, undefined> {
    const { events, delivered } = this.#options;
    while (goesOn()) {
      const query = { ...this.filter, owner: this.owner, after: this.#position, limit: PAGE };
      const page = await events(query);
      for (const event of page.events) {
        if (!goesOn()) return;
        yield event;
      }
      if (!goesOn()) return;
      this.#moveTo(page.cursor);
      // What was handed out while the page was read would be missed.
      if (page.more || page.cursor < delivered()) continue;
      this.#previous = page.events.at(-1)?.seq ?? page.previous;
      yield* this.#live(goesOn);
    }
  }

  async *#live(goesOn: () => boolean): AsyncGenerator<AcpEvent, void, undefined> {
    this.#buffer = [];
    this.#newest = this.#position;
    while (goesOn()) {
      const event = this.#buffer?.shift();
      if (event === undefined) {
        // What passed by meanwhile, so that a later reader need not look at it again.
        if (this.#buffer !== undefined) this.#moveTo(this.#newest);
        await this.#woken();
      } else if (this.#isFiltering) {
        yield Object.freeze({ ...event, prev_seq: this.#previous });
        this.#previous = event.seq;
      } else yield event;
    }
  }

  async #woken(): Promise<void> {
    this.#isWaiting = true;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#isWaiting = false;
    this.#asked();
  }

  #moveTo(seq: number): void {
    this.#position = seq;
    this.#reached(seq);
  }

  #asked(): void {
    this.#readAt = this.#options.clock.monotonicMs();
  }

  #goesOn(reader: number, signal: AbortSignal): boolean {
    const isOver = this.#isLagged || this.#closed !== undefined || this.#reader !== reader;
    return !isOver && !signal.aborted;
  }

  #snapshotFrame(state: JsonObject): AcpEvent {
    const data = { ...state, subscription_id: this.id, cursor: this.#position };
    return frame("snapshot", data, this.#now());
  }

  #lastFrame(reader: number, own: number): AcpEvent {
    if (this.#reader !== reader) {
      const data = { subscription_id: this.id, resume_after: own, reason: "replaced" } as const;
      return frame("subscription.closed", data, { ...this.#now(), seq: own });
    }
    const at = { subscription_id: this.id, resume_after: this.#position };
    if (this.#isLagged) return frame("subscription.lagged", at, this.#now());
    const reason = this.#closed ?? "released";
    return frame("subscription.closed", { ...at, reason }, this.#now());
  }

  #now(): { readonly filter: EventFilter; readonly seq: number; readonly now: Date } {
    return { filter: this.filter, seq: this.#position, now: this.#options.clock.now() };
  }
}
