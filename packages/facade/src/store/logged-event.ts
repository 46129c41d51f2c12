import { createId } from "@acumen/core";
import type { AcpEvent, AcpEventDraft } from "../envelope/acp-event.ts";
import type { JsonObject } from "../envelope/json-value.ts";

/** Frozen throughout: many subscribers get the same object, and none can change it for another. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}

/** A record as it would come back from a file: nobody keeps a way to change it. */
export function detached<T>(record: T): T {
  return deepFreeze(JSON.parse(JSON.stringify(record)) as T);
}

/** A draft with its place in the log, and its data as text. */
export function loggedEvent(
  draft: AcpEventDraft,
  seq: number,
  timestamp: string,
): { readonly event: AcpEvent; readonly text: string } {
  const text = JSON.stringify(draft.data);
  const event: AcpEvent = {
    event_id: createId(),
    event_type: draft.event_type,
    plan_id: draft.plan_id ?? null,
    session_id: draft.session_id ?? null,
    data: JSON.parse(text) as JsonObject,
    timestamp,
    seq,
  };
  return { event: deepFreeze(event), text };
}

/** Events of one filter, each with the seq of the one before it. */
export function chained(events: readonly AcpEvent[], previous: number | null): AcpEvent[] {
  let before = previous;
  return events.map((event) => {
    const linked = Object.freeze({ ...event, prev_seq: before });
    before = event.seq;
    return linked;
  });
}
