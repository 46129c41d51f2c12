import type { AcpEvent, AcpEventDraft } from "../envelope/acp-event.ts";
import { eventMatcher, isFiltering } from "../events/event-filter.ts";
import { checkCursor } from "./cursor-expired.ts";
import type { EventBounds, EventPage, EventQuery } from "./facade-store.ts";
import { chained, loggedEvent } from "./logged-event.ts";

/** One owner's log in memory. */
export class MemoryEventLog {
  #events: AcpEvent[] = [];
  #newest = 0;

  get bounds(): EventBounds {
    if (this.#newest === 0) return { oldest: 0, newest: 0 };
    return { oldest: this.#newest - this.#events.length + 1, newest: this.#newest };
  }

  append(drafts: readonly AcpEventDraft[], timestamp: string): AcpEvent[] {
    const events = drafts.map(
      (draft, index) => loggedEvent(draft, this.#newest + 1 + index, timestamp).event,
    );
    for (const event of events) this.#events.push(event);
    this.#newest += events.length;
    return events;
  }

  page(query: EventQuery): EventPage {
    const { bounds } = this;
    if (query.after !== undefined) checkCursor(query.after, bounds);
    const first = bounds.oldest === 0 ? 1 : bounds.oldest;
    const after = Math.max(query.after ?? 0, first - 1);
    const matches = eventMatcher(query);
    const found: AcpEvent[] = [];
    for (let place = after + 1 - first; place < this.#events.length; place += 1) {
      const event = this.#events[place];
      if (event === undefined || !matches(event)) continue;
      found.push(event);
      if (found.length > query.limit) break;
    }
    const more = found.length > query.limit;
    const events = more ? found.slice(0, -1) : found;
    const cursor = more ? (events.at(-1)?.seq ?? after) : this.#newest;
    if (!isFiltering(query)) return { events, cursor, more, previous: null };
    const previous = this.#lastUntil(after + 1 - first, matches);
    return { events: chained(events, previous), cursor, more, previous };
  }

  #lastUntil(end: number, matches: (event: AcpEvent) => boolean): number | null {
    for (let place = end - 1; place >= 0; place -= 1) {
      const event = this.#events[place];
      if (event !== undefined && matches(event)) return event.seq;
    }
    return null;
  }

  trim({ keep, before }: { readonly keep: number; readonly before: string }): number {
    const young = this.#events.findIndex(({ timestamp }) => timestamp >= before);
    const old = young === -1 ? this.#events.length : young;
    const count = Math.max(old, this.#events.length - keep);
    this.#events = this.#events.slice(count);
    return count;
  }
}
