import type { Clock, Logger } from "@acumen/core";
import type { Caller } from "../access/caller.ts";
import { LOCAL_OWNER, type Principal } from "../access/principal.ts";
import type { AcpEvent } from "../envelope/acp-event.ts";
import { AcpError, AcpNotAvailableError } from "../errors/acp-error.ts";
import { ResourceNotFoundError } from "../errors/domain-error.ts";
import { eachShown } from "../events/event-bodies.ts";
import type {
  EventFilter,
  EventQueueService,
  OpenedSubscription,
} from "../services/event-queue-service.ts";
import { LocalSubscription } from "./local-subscription.ts";

export interface LocalSubscriptionLimits {
  /** Events that wait for one reader; with one more it gets nothing further. Default 1,000. */
  readonly buffer?: number;
  /** A subscription that nobody reads for so long is closed. Default 5 minutes. */
  readonly unreadMs?: number;
  /** Open at once. Default 1,000. */
  readonly subscriptions?: number;
}

const LIMITS = { buffer: 1_000, unreadMs: 5 * 60_000, subscriptions: 1_000 };
const SWEEP_MS = 60_000;
const MOST_ID_CHARS = 64;

/** A user's own queue that calls back and does no more: its subscriptions are opened, read and ended here, within bounds. */
export class LocalSubscriptions implements EventQueueService {
  readonly #queue: EventQueueService;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #limits: Required<LocalSubscriptionLimits>;
  readonly #open = new Map<string, LocalSubscription>();
  #timer: NodeJS.Timeout | undefined;
  /** Only what the queue can do. */
  declare readonly list?: NonNullable<EventQueueService["list"]>;

  constructor(
    queue: EventQueueService,
    parts: {
      readonly clock: Clock;
      readonly logger: Logger;
      readonly limits?: LocalSubscriptionLimits;
    },
  ) {
    this.#queue = queue;
    this.#clock = parts.clock;
    this.#logger = parts.logger;
    this.#limits = { ...LIMITS, ...parts.limits };
    if (queue.list !== undefined) this.list = queue.list.bind(queue);
  }

  subscribeLocal(
    callback: (event: AcpEvent) => void | Promise<void>,
    filter?: EventFilter,
  ): string {
    return this.#queue.subscribeLocal(callback, filter);
  }

  async open(
    { after, ...filter }: EventFilter & { readonly after?: number },
    { principal }: Pick<Caller, "principal">,
  ): Promise<OpenedSubscription> {
    const { owner } = principal;
    // Who its events belong to is not known, so they are those of whoever runs the process.
    if (owner !== LOCAL_OWNER) throw cannot("has events of the local owner alone");
    if (after !== undefined) throw cannot("keeps no log, so there is nothing to resume `after`");
    this.#sweep();
    if (this.#open.size >= this.#limits.subscriptions) throw tooMany(this.#limits.subscriptions);
    const { buffer } = this.#limits;
    const subscription = new LocalSubscription({ owner, filter, buffer, clock: this.#clock });
    // A user's own may give a promise of it.
    const id: unknown = await Promise.resolve(
      this.#queue.subscribeLocal(subscription.accept, filter),
    );
    if (typeof id === "string" && isUsable(id) && !this.#open.has(id)) subscription.id = id;
    this.#open.set(subscription.id, subscription);
    this.#timer ??= setInterval(() => this.#sweep(), SWEEP_MS).unref();
    return { subscription_id: subscription.id, cursor: 0, oldest: 0, stream_url: null };
  }

  async release(
    subscriptionId: string,
    { principal }: Pick<Caller, "principal">,
  ): Promise<boolean> {
    const subscription = this.#open.get(subscriptionId);
    if (subscription?.owner !== principal.owner) return false;
    this.#end(subscription, "released");
    return true;
  }

  /** @throws ResourceNotFoundError at once, also for somebody else's */
  events(
    subscriptionId: string,
    { principal, signal }: { readonly principal: Principal; readonly signal: AbortSignal },
  ): AsyncIterable<AcpEvent> {
    this.#sweep();
    const subscription = this.#open.get(subscriptionId);
    if (subscription?.owner === principal.owner) {
      return eachShown(this.#read(subscription, signal), subscription.filter);
    }
    throw new ResourceNotFoundError(
      `There is no subscription ${subscriptionId.slice(0, MOST_ID_CHARS)}; it may have ended. Open another one.`,
    );
  }

  /** Ends every subscription; the queue stays as it is. */
  close(): void {
    for (const subscription of this.#open.values()) this.#end(subscription, "shutdown");
    clearInterval(this.#timer);
  }

  async *#read(subscription: LocalSubscription, signal: AbortSignal): AsyncGenerator<AcpEvent> {
    yield* subscription.read(signal);
    // What lagged ends with its reader.
    if (subscription.isOver) this.#end(subscription, "released");
  }

  #sweep(): void {
    for (const subscription of this.#open.values()) {
      if (subscription.unreadMs() >= this.#limits.unreadMs) this.#end(subscription, "unread");
    }
  }

  #end(subscription: LocalSubscription, reason: "released" | "unread" | "shutdown"): void {
    if (!this.#open.delete(subscription.id)) return;
    subscription.close(reason);
    void this.#unsubscribed(subscription.id);
  }

  async #unsubscribed(id: string): Promise<void> {
    try {
      await this.#queue.unsubscribe?.(id);
    } catch (error) {
      const name = error instanceof Error ? error.name : typeof error;
      this.#logger.warn("a subscription could not be ended", { subscription_id: id, error: name });
    }
  }
}

function isUsable(id: string): boolean {
  return id.length > 0 && id.length <= MOST_ID_CHARS;
}

function cannot(why: string): AcpNotAvailableError {
  return new AcpNotAvailableError(`The service event_queue is a user's own that ${why}.`, {
    details: { service: "event_queue", method: "open" },
  });
}

function tooMany(limit: number): AcpError {
  return new AcpError(
    "FACADE_RATE_LIMITED",
    `${limit} subscriptions are open; end those that nobody reads.`,
    { details: { limit }, retryable: true },
  );
}
