import { AcumenError } from "@acumen/core";
import type { AcpEvent } from "../envelope/acp-event.ts";
import type { EventQuery, FacadeStore } from "../store/facade-store.ts";

const PAGE = 500;
/** How far back is looked. */
const MOST_SEQS = 20_000;

/** Those of the last 20,000 of an owner that are about this, the oldest first. */
export async function recentEvents(
  store: FacadeStore,
  about: Omit<EventQuery, "after" | "limit">,
): Promise<readonly AcpEvent[]> {
  const { newest } = await store.eventBounds(about.owner);
  const events: AcpEvent[] = [];
  let after = newest > MOST_SEQS ? newest - MOST_SEQS : undefined;
  for (;;) {
    const query = { ...about, limit: PAGE, ...(after !== undefined && { after }) };
    const page = await store.events(query).catch((error: unknown) => {
      const isExpired = AcumenError.isInstance(error) && error.code === "FACADE_CURSOR_EXPIRED";
      if (!isExpired || after === undefined) throw error;
      return undefined;
    });
    // They were forgotten meanwhile; what is kept begins later.
    if (page === undefined) after = undefined;
    else {
      events.push(...page.events);
      after = page.cursor;
      if (!page.more || page.cursor >= newest) return events;
    }
  }
}
