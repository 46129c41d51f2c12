import type { Caller } from "../access/caller.ts";
import type { AcpEvent } from "../envelope/acp-event.ts";
import { type Candidate, type Collected, formOf } from "./candidate.ts";
import type { ContextRecords } from "./context-records.ts";
import type { Subject } from "./subject.ts";
import { headOf } from "./well-formed.ts";

/** The newest ones, each by itself; older ones are counted by type. */
const MOST_EVENTS = 30;
const MOST_CHARS = 1_500;
/** Says only that somebody asked: with it, no two contexts would be the same. */
const OWN_TYPE = "context.built";

/** What happened in a plan, or in a session. */
export async function historyFragments(
  records: Pick<ContextRecords, "events">,
  { plan, session }: Subject,
  caller: Caller,
): Promise<Collected> {
  if (plan === undefined && session === undefined) return { candidates: [] };
  // Events of a plan belong to its session, and the other way round is not asked for.
  const about =
    plan === undefined ? { sessionId: session?.session_id ?? "" } : { planId: plan.plan_id };
  const events = (await records.events(about, caller)).filter(
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
