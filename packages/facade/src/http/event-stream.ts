import { createId, type Clock, type Logger } from "@acumen/core";
import type { Principal } from "../access/principal.ts";
import type { AcpEvent } from "../envelope/acp-event.ts";
import type { AcpEventQueue } from "../events/acp-event-queue.ts";
import { shownTo } from "../events/event-bodies.ts";
import type { AcpEventData } from "../events/event-types.ts";
import type { EventFilter } from "../services/event-queue-service.ts";
import type { FacadeStore } from "../store/facade-store.ts";
import type { TokenRegistry } from "../tokens/token-registry.ts";
import { ByteOutlet } from "./byte-outlet.ts";
import type { ServerLimits } from "./server-limits.ts";

type EndReason = AcpEventData<"end">["reason"];

export interface EventStreamOptions {
  readonly principal: Principal;
  readonly subscriptionId: string;
  readonly filter: EventFilter;
  /** Seq after which it begins. */
  readonly cursor: number;
  /** It begins with a snapshot. */
  readonly isNew: boolean;
  /** The reader named where it stands. */
  readonly after?: number;
  readonly queue: AcpEventQueue;
  readonly tokens: TokenRegistry;
  readonly store: FacadeStore;
  readonly limits: ServerLimits;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Closes the connection of a reader that takes nothing. */
  readonly drop: () => void;
  /** Called once, when nothing more is sent. */
  readonly closed: () => void;
}

const RETRY_HINT = "retry: 1000\n\n";
const SCOPE = "events:read";
const PAGE = 200;

/**
 * One reader of a subscription as server-sent events: id = seq, event = type, data = the event. It sends no faster than the reader takes,
 * and whatever ends it, the reader can resume after the last id that it got.
 */
export class EventStream {
  readonly #options: EventStreamOptions;
  readonly #stop = new AbortController();
  readonly #outlet: ByteOutlet;
  readonly #finished: Promise<void>;
  /** Seq after which the reader can resume: nothing up to here is still to be sent. */
  #last: number;
  /** The snapshot of a new stream was sent: before, there is nothing to resume. */
  #hasBegun: boolean;
  #reason: EndReason | undefined;
  #watching: string | undefined;
  #timers: NodeJS.Timeout[] = [];

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.#last = options.cursor;
    this.#hasBegun = !options.isNew;
    this.#outlet = new ByteOutlet({
      stallMs: options.limits.stallMs,
      gone: () => this.#stop.abort(),
      drop: options.drop,
    });
    this.#finished = this.#run();
  }

  get body(): ReadableStream<Uint8Array> {
    return this.#outlet.stream;
  }

  /** Sends the last frame and closes; the first reason counts. @returns when it is closed */
  end(reason: EndReason): Promise<void> {
    this.#reason ??= reason;
    this.#stop.abort();
    return this.#finished;
  }

  async #run(): Promise<void> {
    const { heartbeatMs, streamMs } = this.#options.limits;
    this.#timers = [
      setInterval(() => void this.#beat(), heartbeatMs).unref(),
      setTimeout(() => void this.end("max_age"), streamMs).unref(),
    ];
    try {
      await this.#sendAll();
    } catch (error) {
      this.#failed(error);
      this.#reason = "failed";
    }
    try {
      if (this.#reason !== undefined) await this.#outlet.write(frameText(this.#endFrame()));
    } catch {
      // Whoever reads no more needs no last frame.
    }
    this.#close();
  }

  async #sendAll(): Promise<void> {
    const { queue, principal, subscriptionId, isNew, after } = this.#options;
    await this.#outlet.write(RETRY_HINT);
    let isFirst = true;
    if (!isNew) await this.#watchPlan();
    const { signal } = this.#stop;
    const reached = (seq: number): void => void (this.#last = Math.max(this.#last, seq));
    const reading = { principal, signal, reached, ...(after !== undefined && { after }) };
    for await (const event of queue.events(subscriptionId, reading)) {
      await this.#send(event);
      if (isFirst && isNew) await this.#watchPlan();
      isFirst = false;
    }
    if (this.#reason === "final") await this.#sendRest();
  }

  async #send(event: AcpEvent): Promise<void> {
    await this.#outlet.write(frameText(event));
    this.#last = Math.max(this.#last, event.seq);
    this.#hasBegun = true;
  }

  /** What the log has beyond what was sent, when nothing more can come. */
  async #sendRest(): Promise<void> {
    const { store, filter, principal } = this.#options;
    const shown = shownTo(filter);
    for (let more = true; more;) {
      const query = { ...filter, owner: principal.owner, after: this.#last, limit: PAGE };
      const page = await store.events(query);
      for (const event of page.events) await this.#send(shown(event));
      this.#last = Math.max(this.#last, page.cursor);
      more = page.more;
    }
  }

  /** The stream of one plan ends with it, also when the filter lets its last event not through. */
  async #watchPlan(): Promise<void> {
    const { queue, store, principal, filter, limits } = this.#options;
    const { planId } = filter;
    const { owner } = principal;
    if (planId === undefined || this.#stop.signal.aborted) return;
    this.#watching = queue.subscribeLocal(
      ({ event_type: type }) => {
        if (type === "plan.applied") void this.end("final");
        if (type !== "plan.cancelled") return;
        // Its sandbox is removed afterwards.
        const later = setTimeout(() => void this.end("final"), limits.lastEventsMs).unref();
        this.#timers.push(later);
      },
      { planId, types: ["plan.applied", "plan.cancelled"] },
      { owner },
    );
    const state = (await store.plan(owner, planId))?.state;
    if (state === "applied" || state === "cancelled") {
      this.#reason ??= "final";
      this.#stop.abort();
    }
  }

  async #beat(): Promise<void> {
    const { tokens, principal } = this.#options;
    try {
      const { tokenId } = principal;
      const now = tokenId === null ? principal : await tokens.recheck(tokenId);
      if (now === undefined || !now.scopes.includes(SCOPE)) await this.end("revoked");
      else this.#outlet.writeIfRoom(this.#heartbeat());
    } catch (error) {
      this.#failed(error);
      await this.end("failed");
    }
  }

  /** A frame without data is no event, but its id is where the reader resumes: it moves also while nothing passes the filter. */
  #heartbeat(): string {
    return this.#hasBegun ? `: heartbeat\nid: ${this.#last}\n\n` : ": heartbeat\n\n";
  }

  #failed(error: unknown): void {
    if (this.#outlet.isGone) return;
    const name = error instanceof Error ? error.name : typeof error;
    const { logger, subscriptionId } = this.#options;
    logger.warn("a stream of events failed", { subscription_id: subscriptionId, error: name });
  }

  #close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    if (this.#watching !== undefined) this.#options.queue.unsubscribe(this.#watching);
    this.#outlet.close();
    this.#options.closed();
  }

  #endFrame(): AcpEvent {
    const { filter, clock } = this.#options;
    return {
      event_id: createId(),
      event_type: "end",
      plan_id: filter.planId ?? null,
      session_id: filter.sessionId ?? null,
      data: { reason: this.#reason ?? "failed", resume_after: this.#last },
      timestamp: clock.now().toISOString(),
      seq: this.#last,
    };
  }
}

function frameText(event: AcpEvent): string {
  return `id: ${event.seq}\nevent: ${event.event_type}\ndata: ${JSON.stringify(event)}\n\n`;
}
