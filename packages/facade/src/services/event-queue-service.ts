import type { Principal } from "../access/principal.ts";
import type { Caller } from "../access/caller.ts";
import type { AcpEvent } from "../envelope/acp-event.ts";

/** What events carry only for readers that ask for it. `output`: what went into tools and came out of them. */
export const EVENT_INCLUDES = ["output"] as const;
export type EventInclude = (typeof EVENT_INCLUDES)[number];

export interface EventFilter {
  readonly planId?: string;
  readonly sessionId?: string;
  /** Exact types, or a prefix and `*`. */
  readonly types?: readonly string[];
  /** Does not change which events come. */
  readonly include?: readonly EventInclude[];
}

export interface OpenedSubscription {
  readonly subscription_id: string;
  /** Seq after which its events begin. */
  readonly cursor: number;
  /** Seq of the oldest event that is kept; 0 in an empty log. */
  readonly oldest: number;
  /** Null: it can be read in process alone. */
  readonly stream_url?: null;
}

/** Key `event_queue`. A user's own needs `subscribeLocal`; without `open` the facade reads what that calls back with. */
export interface EventQueueService {
  /** Called outside the publisher's stack, in order. @returns the subscription's id */
  subscribeLocal(callback: (event: AcpEvent) => void | Promise<void>, filter?: EventFilter): string;
  /** Ends what `subscribeLocal` began. */
  unsubscribe?(subscriptionId: string): unknown;
  /** @throws AcumenError FACADE_CURSOR_EXPIRED, ResourceNotFoundError for a plan or session of somebody else */
  open?(
    filter: EventFilter & { readonly after?: number },
    caller: Caller,
  ): Promise<OpenedSubscription>;
  /** @returns false when the caller has no such subscription */
  release?(subscriptionId: string, caller: Caller): Promise<boolean>;
  /** @throws ResourceNotFoundError for a subscription that the principal does not have */
  events?(
    subscriptionId: string,
    options: { readonly principal: Principal; readonly signal: AbortSignal },
  ): AsyncIterable<AcpEvent>;
  list?(
    query: EventFilter & { readonly after?: number; readonly limit: number },
    caller: Caller,
  ): Promise<{
    readonly events: readonly AcpEvent[];
    readonly cursor: number;
    readonly more: boolean;
    readonly oldest: number;
  }>;
}
