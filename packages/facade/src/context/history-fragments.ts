import { AcumenError } from "@acumen/core";
import type { AcpEvent } from "../envelope/acp-event.ts";
import type { EventQuery, FacadeStore } from "../store/facade-store.ts";
import { type Candidate, type Collected, formOf } from "./candidate.ts";
import { headOf } from "./well-formed.ts";

/** The newest ones, each by itself; older ones are counted by type. */
const MOST_EVENTS = 30;
const PAGE = 500;
/** How far back is looked. */
const MOST_SEQS = 20_000;
const MOST_CHARS = 1_500;
/** Says only that somebody asked: with it, no two contexts would be the same. */
const OWN_TYPE = "context.built";

/** What happened in a plan, or in a session. */
export async function historyFragments(
  store: FacadeStore,
  about: { readonly owner: string; readonly planId?: string; readonly sessionId?: string },
): Promise<Collected> {
  if (about.planId === undefined && about.sessionId === undefined) return { candidates: [] };
  const { planId } = about;
  // Events of a plan belong to its session, and the other way round is not asked for.
  const query = planId === undefined ? about : { owner: about.owner, planId };
  const events = (await allEvents(store, query)).filter(
    ({ event_type: type }) => type !== OWN_TYPE,
  );
  const newest = events.slice(-MOST_EVENTS);
  const older = events.slice(0, -MOST_EVENTS);
  return {
    candidates: [
      ...(older.length === 0 ? [] : [summary(older)]),
      ...newest.map((event, index) => eventFragment(event, (index + 1) / newest.length)),
    ],
  };
}

async function allEvents(
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

function eventFragment(event: AcpEvent, age: number): Candidate {
  const { seq, event_type: type, data } = event;
  const text = JSON.stringify(data);
  const content = headOf(text, MOST_CHARS);
  const part = { uri: `event:${seq}`, title: `Event ${seq}: ${type}`, content };
  return {
    source: "history",
    group: "history",
    uri: part.uri,
    score: age,
    trust: "untrusted",
    forms: [formOf("full", [part]), formOf("reference", [{ ...part, content: "" }])],
  };
}

function summary(events: readonly AcpEvent[]): Candidate {
  const counts = new Map<string, number>();
  for (const { event_type: type } of events) counts.set(type, (counts.get(type) ?? 0) + 1);
  const content = [...counts].map(([type, count]) => `${type}: ${count}`).join("\n");
  const uri = `event:${events[0]?.seq ?? 0}-${events.at(-1)?.seq ?? 0}`;
  const part = { uri, title: `${events.length} earlier events by type`, content };
  const forms = [formOf("reference", [part])];
  return { source: "history", group: "history", uri, score: 0.5, trust: "untrusted", forms };
}
