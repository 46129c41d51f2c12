import type { AcpEvent } from "../envelope/acp-event.ts";
import type { EventFilter } from "../services/event-queue-service.ts";

/** What decides whether an event passes a filter. */
type Filtered = Pick<AcpEvent, "event_type" | "plan_id" | "session_id">;

/** Something stays behind, so that events carry `prev_seq`. */
export function isFiltering({ planId, sessionId, types }: EventFilter): boolean {
  return planId !== undefined || sessionId !== undefined || types !== undefined;
}

/** Prefix of a pattern such as `plan.*`; undefined for an exact type. */
export function prefixOf(pattern: string): string | undefined {
  return pattern.endsWith("*") ? pattern.slice(0, -1) : undefined;
}

/** The filter as a function, for many events. */
export function eventMatcher({
  planId,
  sessionId,
  types,
}: EventFilter): (event: Filtered) => boolean {
  const exact = new Set(types?.filter((type) => prefixOf(type) === undefined));
  const prefixes = (types ?? []).flatMap((type) => prefixOf(type) ?? []);
  return (event) => {
    if (planId !== undefined && event.plan_id !== planId) return false;
    if (sessionId !== undefined && event.session_id !== sessionId) return false;
    if (types === undefined || exact.has(event.event_type)) return true;
    return prefixes.some((prefix) => event.event_type.startsWith(prefix));
  };
}
