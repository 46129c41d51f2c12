import { createId, type Logger } from "@acumen/core";
import type { AcpEvent } from "../envelope/acp-event.ts";
import type { EventInclude } from "../services/event-queue-service.ts";
import type { EventCallback } from "./callback-subscription.ts";

export interface RemoteOptions {
  readonly token?: string;
  readonly plan_id?: string;
  readonly session_id?: string;
  readonly types?: readonly string[];
  readonly include?: readonly EventInclude[];
  /** Seq of the last event that the caller has; absent: a snapshot first. */
  readonly after?: number;
  /** Told where to resume with `after`; moves also while nothing passes the filter. */
  readonly onCursor?: (seq: number) => void;
  /** Called once when nothing more can come, with the error that ended it, if one did; not after `unsubscribe`. */
  readonly onEnd?: (error?: unknown) => void;
}

/**
 * Connects to a server's events. Resolves when the server has answered; the events go on over lost connections.
 * @throws AcpNotAvailableError when no server answers
 */
export type RemoteEvents = (
  endpoint: string,
  options: RemoteOptions & { readonly signal: AbortSignal },
) => Promise<AsyncIterable<AcpEvent>>;

export interface RemoteSubscriptionOptions {
  readonly callback: EventCallback;
  readonly logger: Logger;
  readonly ended: (id: string) => void;
}

/** A callback for the events of a server; the server is read no faster than the callback works. */
export class RemoteSubscription {
  readonly id = createId();
  readonly #options: RemoteSubscriptionOptions;
  readonly #stop = new AbortController();

  constructor(options: RemoteSubscriptionOptions) {
    this.#options = options;
  }

  async connect(remote: RemoteEvents, endpoint: string, options: RemoteOptions): Promise<void> {
    const { onEnd = () => undefined, ...query } = options;
    const events = await remote(endpoint, { ...query, signal: this.#stop.signal });
    void this.#read(events, onEnd);
  }

  close(): void {
    this.#stop.abort();
  }

  async #read(events: AsyncIterable<AcpEvent>, onEnd: (error?: unknown) => void): Promise<void> {
    const { logger, ended } = this.#options;
    let failure: unknown;
    try {
      for await (const event of events) {
        if (this.#stop.signal.aborted) return;
        await this.#call(event);
      }
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      failure = error;
      logger.warn("the events of a server ended", {
        subscription_id: this.id,
        error: nameOf(error),
      });
    } finally {
      ended(this.id);
    }
    if (this.#stop.signal.aborted) return;
    try {
      onEnd(failure);
    } catch (error) {
      this.#failed(error);
    }
  }

  async #call(event: AcpEvent): Promise<void> {
    try {
      await this.#options.callback(event);
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    this.#options.logger.warn("a subscriber's callback failed", {
      subscription_id: this.id,
      error: nameOf(error),
    });
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
