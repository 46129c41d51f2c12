import type { Clock, Logger } from "@acumen/core";
import type { Principal } from "../access/principal.ts";
import { ACP_VERSION } from "../envelope/acp-request.ts";
import { AuthorizationError } from "../errors/domain-error.ts";
import type { AcpEventQueue } from "../events/acp-event-queue.ts";
import { checkCursor } from "../store/cursor-expired.ts";
import type { FacadeStore } from "../store/facade-store.ts";
import type { TokenRegistry } from "../tokens/token-registry.ts";
import { type EventQueryInput, EVENTS_PATH } from "./event-query.ts";
import { EventStream } from "./event-stream.ts";
import type { RequestLimits } from "./request-limits.ts";
import type { ServerLimits } from "./server-limits.ts";

export interface EventStreamsOptions {
  readonly queue: AcpEventQueue;
  readonly tokens: TokenRegistry;
  readonly store: FacadeStore;
  readonly limits: ServerLimits;
  readonly requests: RequestLimits;
  readonly clock: Clock;
  readonly logger: Logger;
}

const SCOPE = "events:read";
const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store, no-transform",
  // Proxies that collect answers would hold events back.
  "x-accel-buffering": "no",
  "acp-version": ACP_VERSION,
};

/** All open streams of one server. */
export class EventStreams {
  readonly #options: EventStreamsOptions;
  readonly #open = new Set<EventStream>();

  constructor(options: EventStreamsOptions) {
    this.#options = options;
  }

  /** What a stream would be answered with, without one. @throws AuthorizationError */
  head(principal: Principal): Response {
    checkScope(principal);
    return new Response(null, { headers: HEADERS });
  }

  /**
   * @param drop closes the connection at once
   * @throws AuthorizationError, ResourceNotFoundError, ValidationError; AcpError FACADE_RATE_LIMITED, FACADE_CURSOR_EXPIRED
   */
  async open(query: EventQueryInput, principal: Principal, drop: () => void): Promise<Response> {
    checkScope(principal);
    const finish = this.#options.requests.beginStream(principal);
    try {
      const opened = await this.#subscription(query, principal);
      const stream: EventStream = new EventStream({
        ...this.#options,
        ...opened,
        principal,
        drop,
        closed: () => {
          finish();
          this.#open.delete(stream);
          if (opened.isOwn) void this.#options.queue.release(opened.subscriptionId, { principal });
        },
      });
      this.#open.add(stream);
      return new Response(stream.body, { headers: HEADERS });
    } catch (error) {
      finish();
      throw error;
    }
  }

  /** Ends every stream so that its reader resumes elsewhere. */
  async shutDown(): Promise<void> {
    await Promise.all([...this.#open].map((stream) => stream.end("shutdown")));
  }

  async #subscription({ filter, subscriptionId, after }: EventQueryInput, principal: Principal) {
    const { queue, store } = this.#options;
    const from = after === undefined ? {} : { after };
    if (subscriptionId === undefined) {
      const { subscription_id: id, cursor } = await queue.open(
        { ...filter, ...from },
        { principal },
      );
      return { subscriptionId: id, filter, cursor, isNew: after === undefined, isOwn: true };
    }
    const state = queue.subscription(subscriptionId, principal);
    if (after === undefined) return { subscriptionId, ...state, isOwn: false };
    checkCursor(after, await store.eventBounds(principal.owner));
    const { filter: own } = state;
    return { subscriptionId, filter: own, cursor: after, isNew: false, after, isOwn: false };
  }
}

function checkScope({ scopes }: Principal): void {
  if (scopes.includes(SCOPE)) return;
  throw new AuthorizationError(
    `GET ${EVENTS_PATH} needs the scope ${SCOPE}, which the token does not have.`,
    { details: { scope: SCOPE } },
  );
}
