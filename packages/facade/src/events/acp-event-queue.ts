import { type Clock, type Logger, silentLogger, systemClock } from "@acumen/core";
import type { Caller } from "../access/caller.ts";
import { LOCAL_OWNER, type Principal } from "../access/principal.ts";
import { remoteEvents } from "../client/remote-events.ts";
import type { AcpEvent, AcpEventDraft } from "../envelope/acp-event.ts";
import type { JsonObject } from "../envelope/json-value.ts";
import { AcpError } from "../errors/acp-error.ts";
import { ResourceNotFoundError } from "../errors/domain-error.ts";
import type {
  EventFilter,
  EventQueueService,
  OpenedSubscription,
} from "../services/event-queue-service.ts";
import { checkCursor } from "../store/cursor-expired.ts";
import type { Committed, EventPage, FacadeStore, StoreChange } from "../store/facade-store.ts";
import { MemoryFacadeStore } from "../store/memory-facade-store.ts";
import { CallbackSubscription, type EventCallback } from "./callback-subscription.ts";
import { eachShown, shownTo, withoutBodies } from "./event-bodies.ts";
import { checkedDraft } from "./event-draft.ts";
import { EventFanOut } from "./event-fan-out.ts";
import { checkTypeFilter } from "./event-types.ts";
import {
  RemoteSubscription,
  type RemoteEvents,
  type RemoteOptions,
} from "./remote-subscription.ts";
import { Retention } from "./retention.ts";
import { stateSnapshot } from "./state-snapshot.ts";
import { StreamSubscription } from "./stream-subscription.ts";

export interface EventQueueLimits {
  /** Events that wait for one subscriber; with one more it is dropped. Default 1,000. */
  readonly buffer?: number;
  /** A subscription that nobody reads for so long is closed. Default 5 minutes. */
  readonly unreadMs?: number;
  /** Open subscriptions of one owner. Default 1,000. */
  readonly subscriptions?: number;
  /** Events kept of one owner. Default 100,000. */
  readonly keepEvents?: number;
  /** How long events are kept. Default 7 days. */
  readonly keepMs?: number;
}

const LIMITS: Required<EventQueueLimits> = {
  buffer: 1_000,
  unreadMs: 5 * 60_000,
  subscriptions: 1_000,
  keepEvents: 100_000,
  keepMs: 7 * 24 * 3_600_000,
};

/** Answers to keyed requests are kept so long. */
const KEYED_MS = 24 * 3_600_000;

export interface AcpEventQueueOptions {
  /** Default: in memory. */
  readonly store?: FacadeStore;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly limits?: EventQueueLimits;
  /** How a server's events are reached. Default: over HTTP. */
  readonly remote?: RemoteEvents;
}

export interface EventsOptions {
  readonly principal: Principal;
  readonly signal: AbortSignal;
  /** Seq of the last event that the reader really has; default: where the last reader of the subscription stopped. */
  readonly after?: number;
  /** The state that a new subscription begins with; default: phase, state and version of what it filters. */
  readonly snapshot?: (filter: EventFilter, principal: Principal) => Promise<JsonObject>;
  /** Told the seq after which this reader can resume; it moves also while nothing passes the filter. */
  readonly reached?: (seq: number) => void;
}

export interface SubscriptionState {
  readonly filter: EventFilter;
  /** Seq after which its next events begin. */
  readonly cursor: number;
  /** Its reader begins with a snapshot. */
  readonly isNew: boolean;
}

/** What a user publishes. */
export type PublishedEvent = Omit<AcpEventDraft, "data"> & { readonly data?: JsonObject };

/** The log of events and those who follow it. Whoever changes state commits here: state and events together, then delivery. */
export class AcpEventQueue implements EventQueueService {
  readonly #store: FacadeStore;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #limits: Required<EventQueueLimits>;
  readonly #remote: RemoteEvents;
  readonly #fanOut: EventFanOut;
  readonly #retention: Retention;
  readonly #callbacks = new Map<string, CallbackSubscription>();
  readonly #streams = new Map<string, StreamSubscription>();
  readonly #remotes = new Map<string, RemoteSubscription>();

  constructor(options: AcpEventQueueOptions = {}) {
    const { clock = systemClock, logger = silentLogger, limits = {} } = options;
    this.#clock = clock;
    this.#logger = logger;
    this.#limits = { ...LIMITS, ...limits };
    this.#store = options.store ?? new MemoryFacadeStore({ clock });
    this.#remote = options.remote ?? remoteEvents;
    this.#fanOut = new EventFanOut(Math.max(1, Math.floor(this.#limits.buffer / 2)));
    this.#retention = new Retention({
      sweep: () => this.sweep(),
      every: Math.ceil(this.#limits.keepEvents / 10),
      logger,
    });
  }

  /** Whose log this is. */
  get store(): FacadeStore {
    return this.#store;
  }

  /**
   * Stores the change with its events, then hands those out. It never waits for a subscriber.
   * @throws ConflictError when a version is not the next one; ValidationError for an event that its type does not allow
   */
  async commit(change: StoreChange): Promise<Committed> {
    this.#retention.begin();
    const { events, ...records } = change;
    if (events === undefined) return this.#store.commit(records);
    const { owner } = events;
    const drafts = events.drafts.map(checkedDraft);
    const committed = await this.#store.commit({ ...records, events: { owner, drafts } });
    this.#fanOut.add(owner, committed.events);
    this.#retention.added(committed.events.length);
    await this.#fanOut.settle();
    return committed;
  }

  /** For events of this process's user: `x.` and a name, or a known type with what it promises. @throws ValidationError */
  async publish({ event_type, plan_id, session_id, data = {} }: PublishedEvent): Promise<AcpEvent> {
    const draft: AcpEventDraft = {
      event_type,
      plan_id: plan_id ?? null,
      session_id: session_id ?? null,
      data,
    };
    const { events } = await this.commit({ events: { owner: LOCAL_OWNER, drafts: [draft] } });
    const [event] = events;
    if (event === undefined) throw new Error("A store took an event and gave none back.");
    return event;
  }

  /**
   * Events from now on, of the local owner unless another is named. Too slow a callback gets `subscription.lagged` and is dropped.
   * @throws ValidationError for a type that no event has
   */
  subscribeLocal(
    callback: EventCallback,
    filter: EventFilter = {},
    { owner = LOCAL_OWNER }: { readonly owner?: string } = {},
  ): string {
    checkTypeFilter(filter.types);
    const shown = shownTo(filter);
    const subscription: CallbackSubscription = new CallbackSubscription({
      owner,
      filter,
      callback: (event) => callback(shown(event)),
      after: this.#fanOut.committed(owner),
      buffer: this.#limits.buffer,
      previous: async (after) => {
        const page = await this.#store.events({ ...filter, owner, after, limit: 1 });
        return page.previous;
      },
      dropped: () => this.#forgetCallback(subscription),
      clock: this.#clock,
      logger: this.#logger,
    });
    this.#callbacks.set(subscription.id, subscription);
    this.#fanOut.join(subscription);
    return subscription.id;
  }

  /** Ends any subscription of this process. @returns false when there is none of that id */
  unsubscribe(subscriptionId: string): boolean {
    const callback = this.#callbacks.get(subscriptionId);
    if (callback !== undefined) {
      this.#forgetCallback(callback);
      callback.close();
      return true;
    }
    const remote = this.#remotes.get(subscriptionId);
    if (remote !== undefined) {
      this.#remotes.delete(subscriptionId);
      remote.close();
      return true;
    }
    return this.#closeStream(subscriptionId, "released");
  }

  async open(
    { after, ...filter }: EventFilter & { readonly after?: number },
    { principal }: Pick<Caller, "principal">,
  ): Promise<OpenedSubscription> {
    this.#retention.begin();
    const { owner } = principal;
    await this.#check(filter, owner);
    const bounds = await this.#store.eventBounds(owner);
    if (after !== undefined) checkCursor(after, bounds);
    this.#checkCount(owner);
    const cursor = after ?? bounds.newest;
    const stream: StreamSubscription = new StreamSubscription({
      owner,
      filter,
      after: cursor,
      wantsSnapshot: after === undefined,
      buffer: this.#limits.buffer,
      events: (query) => this.#store.events(query),
      delivered: () => this.#fanOut.delivered(owner),
      dropped: () => this.#forget(stream),
      clock: this.#clock,
    });
    this.#streams.set(stream.id, stream);
    this.#fanOut.join(stream);
    return { subscription_id: stream.id, cursor, oldest: bounds.oldest };
  }

  /**
   * Reads an open subscription; a newer reader of the same one ends the older. A new subscription begins with a `snapshot`, one that
   * was opened or is read with `after` does not. Reading goes on until the signal aborts or the subscription ends.
   * @throws ResourceNotFoundError at once, also for somebody else's; while reading AcpError FACADE_CURSOR_EXPIRED
   */
  events(subscriptionId: string, options: EventsOptions): AsyncIterable<AcpEvent> {
    const { principal, signal, after, snapshot, reached } = options;
    const stream = this.#stream(subscriptionId, principal);
    const read = stream.read({
      signal,
      ...(after !== undefined && { after }),
      ...(reached !== undefined && { reached }),
      snapshot: () =>
        snapshot?.(stream.filter, principal) ??
        stateSnapshot(this.#store, principal.owner, stream.filter),
    });
    return eachShown(read, stream.filter);
  }

  /**
   * What an open subscription lets through, and where it stands.
   * @throws ResourceNotFoundError also for somebody else's
   */
  subscription(subscriptionId: string, principal: Principal): SubscriptionState {
    const { filter, cursor, isNew } = this.#stream(subscriptionId, principal);
    return { filter, cursor, isNew };
  }

  async release(
    subscriptionId: string,
    { principal }: Pick<Caller, "principal">,
  ): Promise<boolean> {
    if (this.#streams.get(subscriptionId)?.owner !== principal.owner) return false;
    return this.#closeStream(subscriptionId, "released");
  }

  async list(
    query: EventFilter & { readonly after?: number; readonly limit: number },
    { principal }: Pick<Caller, "principal">,
  ): Promise<EventPage & { readonly oldest: number }> {
    const { owner } = principal;
    await this.#check(query, owner);
    const page = await this.#store.events({ ...query, owner });
    const { oldest } = await this.#store.eventBounds(owner);
    return { ...page, events: page.events.map(shownTo(query)), oldest };
  }

  /** The newest events of an owner, oldest of them first; without bodies. */
  async getEvents(limit = 100, owner = LOCAL_OWNER): Promise<readonly AcpEvent[]> {
    const { oldest, newest } = await this.#store.eventBounds(owner);
    const count = Math.max(0, Math.min(Math.floor(limit) || 0, newest));
    const after = newest - count;
    // Without a cursor it begins with the oldest, whatever is forgotten meanwhile.
    const from = after < oldest ? {} : { after };
    const { events } = await this.#store.events({ owner, ...from, limit: count });
    return events.map(withoutBodies);
  }

  /**
   * Calls back with each event of a server, over lost connections too.
   * @returns the subscription's id, for `unsubscribe`
   * @throws AcpNotAvailableError when no server answers there
   */
  async subscribeRemote(
    endpoint: string,
    callback: EventCallback,
    options: RemoteOptions = {},
  ): Promise<string> {
    const subscription = new RemoteSubscription({
      callback,
      logger: this.#logger,
      ended: (id) => void this.#remotes.delete(id),
    });
    this.#remotes.set(subscription.id, subscription);
    try {
      await subscription.connect(this.#remote, endpoint, options);
    } catch (error) {
      this.#remotes.delete(subscription.id);
      throw error;
    }
    return subscription.id;
  }

  /** Closes what nobody reads and forgets what is too old. Runs by itself once a minute, and when a tenth of what is kept was added. */
  async sweep(): Promise<void> {
    const { unreadMs, keepEvents, keepMs } = this.#limits;
    for (const { id } of [...this.#streams.values()].filter((one) => one.unreadMs() >= unreadMs)) {
      this.#closeStream(id, "unread");
    }
    const before = new Date(this.#clock.now().getTime() - keepMs).toISOString();
    await this.#store.trimEvents({ keep: keepEvents, before });
    await this.#store.trimKeyed(new Date(this.#clock.now().getTime() - KEYED_MS).toISOString());
  }

  /** Ends every subscription; the store stays open. */
  async close(): Promise<void> {
    await this.#retention.end();
    await this.#fanOut.idle();
    for (const id of this.#streams.keys()) this.#closeStream(id, "shutdown");
    for (const id of [...this.#callbacks.keys(), ...this.#remotes.keys()]) this.unsubscribe(id);
  }

  #stream(id: string, { owner }: Principal): StreamSubscription {
    const stream = this.#streams.get(id);
    if (stream !== undefined && stream.owner === owner) return stream;
    throw new ResourceNotFoundError(
      `There is no subscription ${id.slice(0, 64)}; it may have ended. Open another one.`,
    );
  }

  /** Of somebody else and unknown look alike. */
  async #check({ planId, sessionId, types }: EventFilter, owner: string): Promise<void> {
    checkTypeFilter(types);
    if (planId !== undefined && (await this.#store.plan(owner, planId)) === undefined) {
      throw notThere("plan", planId);
    }
    if (sessionId !== undefined && (await this.#store.session(owner, sessionId)) === undefined) {
      throw notThere("session", sessionId);
    }
  }

  #checkCount(owner: string): void {
    const { subscriptions } = this.#limits;
    const open = [...this.#streams.values()].filter((stream) => stream.owner === owner).length;
    if (open < subscriptions) return;
    throw new AcpError(
      "FACADE_RATE_LIMITED",
      `${subscriptions} subscriptions are open; end those that nobody reads.`,
      { details: { limit: subscriptions }, retryable: true },
    );
  }

  #closeStream(id: string, reason: "released" | "unread" | "shutdown"): boolean {
    const stream = this.#streams.get(id);
    if (stream === undefined) return false;
    this.#forget(stream);
    stream.close(reason);
    return true;
  }

  #forgetCallback(callback: CallbackSubscription): void {
    this.#callbacks.delete(callback.id);
    this.#fanOut.leave(callback);
  }

  #forget(stream: StreamSubscription): void {
    this.#streams.delete(stream.id);
    this.#fanOut.leave(stream);
  }
}

function notThere(kind: "plan" | "session", id: string): ResourceNotFoundError {
  return new ResourceNotFoundError(`There is no ${kind} ${id}.`, {
    details: { [`${kind}_id`]: id },
  });
}
