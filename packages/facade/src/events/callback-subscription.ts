import { createId, type Clock, type Logger } from "@acumen/core";
import type { AcpEvent } from "../envelope/acp-event.ts";
import type { EventFilter } from "../services/event-queue-service.ts";
import { eventMatcher, isFiltering } from "./event-filter.ts";
import { frame, type Subscriber } from "./subscriber.ts";

export type EventCallback = (event: AcpEvent) => void | Promise<void>;

export interface CallbackSubscriptionOptions {
  readonly owner: string;
  readonly filter: EventFilter;
  readonly callback: EventCallback;
  /** Its events have a greater seq. */
  readonly after: number;
  readonly buffer: number;
  /** Seq of the last event up to `after` that the filter lets through. */
  readonly previous: (after: number) => Promise<number | null>;
  /** It read too slowly and gets nothing more. */
  readonly dropped: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A function of this process that is called with each event, one after the other; a promise that it returns is waited for. */
export class CallbackSubscription implements Subscriber {
  readonly id = createId();
  readonly owner: string;
  readonly #options: CallbackSubscriptionOptions;
  readonly #matches: (event: AcpEvent) => boolean;
  #buffer: AcpEvent[] = [];
  #running = false;
  #state: "open" | "lagged" | "closed" = "open";
  #position: number;
  #previous: number | null | undefined;

  constructor(options: CallbackSubscriptionOptions) {
    this.owner = options.owner;
    this.#options = options;
    this.#matches = eventMatcher(options.filter);
    this.#position = options.after;
  }

  accept(event: AcpEvent): void {
    if (this.#state !== "open" || event.seq <= this.#options.after) return;
    if (!this.#matches(event)) {
      if (!this.#running) this.#position = event.seq;
      return;
    }
    if (this.#buffer.length >= this.#options.buffer) this.#lag();
    else this.#buffer.push(event);
    if (!this.#running) void this.#run();
  }

  /** No call begins afterwards. */
  close(): void {
    this.#state = "closed";
    this.#buffer = [];
  }

  #lag(): void {
    const { dropped, logger } = this.#options;
    this.#state = "lagged";
    this.#buffer = [];
    logger.warn("a subscriber was too slow and is dropped", { subscription_id: this.id });
    dropped();
  }

  /** A callback that returns nothing is called without a detour, so it never needs the buffer. */
  async #run(): Promise<void> {
    this.#running = true;
    for (let event = this.#buffer.shift(); event !== undefined; event = this.#buffer.shift()) {
      const linked = isFiltering(this.#options.filter) ? await this.#linked(event) : event;
      if (this.#state !== "open") break;
      const done = this.#call(linked);
      if (done !== undefined) await done;
      this.#position = event.seq;
    }
    this.#running = false;
    if (this.#state === "lagged") {
      this.#state = "closed";
      void this.#call(this.#laggedFrame());
    }
  }

  async #linked(event: AcpEvent): Promise<AcpEvent> {
    // What is no longer kept cannot be named; the chain then begins here.
    this.#previous ??= await this.#options.previous(event.seq - 1).catch(() => null);
    const linked = Object.freeze({ ...event, prev_seq: this.#previous });
    this.#previous = event.seq;
    return linked;
  }

  /** What the callback does wrong is its own affair. */
  #call(event: AcpEvent): Promise<void> | undefined {
    try {
      const done = this.#options.callback(event);
      return done instanceof Promise
        ? done.catch((error: unknown) => this.#failed(error))
        : undefined;
    } catch (error) {
      this.#failed(error);
      return undefined;
    }
  }

  #failed(error: unknown): void {
    const name = error instanceof Error ? error.name : typeof error;
    this.#options.logger.warn("a subscriber's callback failed", {
      subscription_id: this.id,
      error: name,
    });
  }

  #laggedFrame(): AcpEvent {
    const { filter, clock } = this.#options;
    const data = { subscription_id: this.id, resume_after: this.#position };
    return frame("subscription.lagged", data, { filter, seq: this.#position, now: clock.now() });
  }
}
