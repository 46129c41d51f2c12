import { createId } from "@acumen/core";
import type { AcpEvent } from "../envelope/acp-event.ts";
import type { JsonObject } from "../envelope/json-value.ts";
import type { EventFilter } from "../services/event-queue-service.ts";
import type { AcpEventData, AcpFrameType } from "./event-types.ts";

/** Whoever gets the events of an owner as they are committed. */
export interface Subscriber {
  readonly owner: string;
  /** In order of seq. Returns at once and never throws: whoever is slow is slow alone. */
  accept(event: AcpEvent): void;
}

/** A frame for one subscriber: not in the log. */
export function frame<Type extends AcpFrameType>(
  type: Type,
  data: AcpEventData<Type>,
  at: { readonly filter: EventFilter; readonly seq: number; readonly now: Date },
): AcpEvent {
  const { filter, seq, now } = at;
  return {
    event_id: createId(),
    event_type: type,
    plan_id: filter.planId ?? null,
    session_id: filter.sessionId ?? null,
    data: data as JsonObject,
    timestamp: now.toISOString(),
    seq,
  };
}
