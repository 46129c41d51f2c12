import { type Clock, createId, type Logger, silentLogger } from "@acumen/core";
import type { EventDraft, SessionEvent } from "../events/session-event.ts";
import type { OpenedSession } from "./session-store.ts";

/** A promise that is returned is waited for: the next event comes after it. */
export type EventListener = (event: SessionEvent) => void | Promise<void>;

export interface EventPlace {
  /** ULID of the turn; null outside turns. */
  readonly turnId: string | null;
  /** Number of the model call inside the turn, from 1; 0 before the first. */
  readonly step: number;
}

export const OUTSIDE_TURNS: EventPlace = { turnId: null, step: 0 };

/** A draft on its way; it gets its seq when it is written. */
interface Waiting {
  readonly draft: EventDraft;
  readonly place: EventPlace;
  readonly timestamp: string;
  readonly resolve: (delivered: Promise<SessionEvent>) => void;
  readonly reject: (error: unknown) => void;
}

/** The one way in which events of a session come to be: numbered, stored, then delivered, in the order of the calls. */
export class EventLog {
  readonly #opened: OpenedSession;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #events: SessionEvent[];
  readonly #listeners = new Set<EventListener>();
  #lastSeq: number;
  #waiting: Waiting[] = [];
  #writing = false;
  #delivering: Promise<unknown> = Promise.resolve();

  constructor(opened: OpenedSession, options: { readonly clock: Clock; readonly logger?: Logger }) {
    this.#opened = opened;
    this.#clock = options.clock;
    this.#logger = options.logger ?? silentLogger;
    this.#events = [...opened.events];
    this.#lastSeq = opened.lastSeq;
  }

  /** Every event that is stored, in order; grows. */
  get events(): readonly SessionEvent[] {
    return this.#events;
  }

  /**
   * Numbers, stores and delivers an event. Resolves when it was stored and every listener is done with it, so a listener
   * must not wait for a record of its own. A failed event leaves no trace: the next one gets its seq.
   * @throws AGENT_STORE_FAILED, AGENT_SESSION_NOT_FOUND, AGENT_SESSION_CLOSED
   */
  record<Draft extends EventDraft>(
    draft: Draft,
    place: EventPlace,
  ): Promise<SessionEvent<Draft["type"]>> {
    return new Promise<SessionEvent>((resolve, reject) => {
      const timestamp = this.#clock.now().toISOString();
      this.#waiting.push({ draft, place, timestamp, resolve, reject });
      if (!this.#writing) void this.#write();
    }) as Promise<SessionEvent<Draft["type"]>>;
  }

  /** Calls the listener for every event that is stored from now on. Returns how to stop that. */
  subscribe(listener: EventListener): () => void {
    // One function may listen twice, and stop once.
    const own: EventListener = (event) => listener(event);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** Whatever waits while a write is under way becomes the next write. Never rejects. */
  async #write(): Promise<void> {
    this.#writing = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      await this.#commit(batch);
    }
    this.#writing = false;
  }

  /** One bad event of a batch must not take the others with it. */
  async #commit(batch: readonly Waiting[]): Promise<void> {
    const events = batch.map((waiting, index) => this.#numbered(waiting, index));
    try {
      await this.#opened.append(events);
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error);
      else for (const one of batch) await this.#commit([one]);
      return;
    }
    this.#lastSeq += events.length;
    for (const event of events) this.#events.push(event);
    batch.forEach(({ resolve }, index) => {
      const event = events[index];
      if (event !== undefined) resolve(this.#deliverNext(event));
    });
  }

  #numbered({ draft, place, timestamp }: Waiting, index: number): SessionEvent {
    return {
      seq: this.#lastSeq + 1 + index,
      event_id: createId(),
      session_id: this.#opened.meta.session_id,
      turn_id: place.turnId,
      step: place.step,
      type: draft.type,
      timestamp,
      payload: draft.payload,
    } as SessionEvent;
  }

  #deliverNext(event: SessionEvent): Promise<SessionEvent> {
    const delivered = this.#delivering.then(() => this.#deliver(event));
    this.#delivering = delivered;
    return delivered;
  }

  async #deliver(event: SessionEvent): Promise<SessionEvent> {
    const slow: Promise<void>[] = [];
    // Whoever joins while an event is delivered gets the next one first.
    const listeners = [...this.#listeners];
    for (const listener of listeners) {
      try {
        const done = listener(event);
        if (done !== undefined) slow.push(done.catch((error: unknown) => this.#ignore(error)));
      } catch (error) {
        this.#ignore(error);
      }
    }
    if (slow.length > 0) await Promise.all(slow);
    return event;
  }

  /** Who watches is no part of the session. */
  #ignore(error: unknown): void {
    const name = error instanceof Error ? error.name : typeof error;
    this.#logger.warn("a listener of a session's events failed", {
      session_id: this.#opened.meta.session_id,
      error: name,
    });
  }
}
