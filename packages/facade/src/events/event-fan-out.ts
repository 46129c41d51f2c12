import { setImmediate as nextTurn } from "node:timers/promises";
import type { AcpEvent } from "../envelope/acp-event.ts";
import type { Subscriber } from "./subscriber.ts";

interface Channel {
  /** Never changed in place: who joins or leaves during a delivery changes the next one. */
  subscribers: readonly Subscriber[];
  committed: number;
  delivered: number;
}

/** Hands committed events to the subscribers of their owner: in order, and never in the stack of whoever published. */
export class EventFanOut {
  readonly #channels = new Map<string, Channel>();
  readonly #slice: number;
  #waiting: { readonly owner: string; readonly event: AcpEvent }[] = [];
  #running: Promise<void> | undefined;

  /** @param slice so many events go out before others have their turn; a quick subscriber then never has more to buffer */
  constructor(slice: number) {
    this.#slice = slice;
  }

  /** Seq of the newest event that was committed through this process; 0 before the first. */
  committed(owner: string): number {
    return this.#channels.get(owner)?.committed ?? 0;
  }

  /** Seq of the newest event that was handed out; 0 before the first. */
  delivered(owner: string): number {
    return this.#channels.get(owner)?.delivered ?? 0;
  }

  join(subscriber: Subscriber): void {
    const channel = this.#channel(subscriber.owner);
    channel.subscribers = [...channel.subscribers, subscriber];
  }

  leave(subscriber: Subscriber): void {
    const channel = this.#channel(subscriber.owner);
    channel.subscribers = channel.subscribers.filter((one) => one !== subscriber);
  }

  /** Returns at once. */
  add(owner: string, events: readonly AcpEvent[]): void {
    const newest = events.at(-1);
    if (newest === undefined) return;
    this.#channel(owner).committed = newest.seq;
    for (const event of events) this.#waiting.push({ owner, event });
    this.#running ??= this.#run();
  }

  /** Waits until what is handed out is near what was committed. That depends on no subscriber. */
  async settle(): Promise<void> {
    while (this.#running !== undefined && this.#waiting.length > this.#slice * 8) await nextTurn();
  }

  /** Waits until everything is handed out. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    // Out of the publisher's stack.
    await Promise.resolve();
    do {
      for (const { owner, event } of this.#waiting.splice(0, this.#slice)) {
        const channel = this.#channel(owner);
        for (const subscriber of channel.subscribers) subscriber.accept(event);
        channel.delivered = event.seq;
      }
      // Also after the last one: a publisher that never pauses would leave its readers no time to read.
      await nextTurn();
    } while (this.#waiting.length > 0);
    this.#running = undefined;
  }

  #channel(owner: string): Channel {
    let channel = this.#channels.get(owner);
    if (channel === undefined) {
      channel = { subscribers: [], committed: 0, delivered: 0 };
      this.#channels.set(owner, channel);
    }
    return channel;
  }
}
