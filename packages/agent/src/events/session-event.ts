import { z } from "zod";
import { EVENT_PAYLOADS, type EventType } from "./event-payloads.ts";

export type EventPayload<Type extends EventType> = z.output<(typeof EVENT_PAYLOADS)[Type]>;

interface EventHead<Type extends EventType> {
  /** 1, 2, 3 … without gaps in a session. */
  readonly seq: number;
  /** ULID. */
  readonly event_id: string;
  readonly session_id: string;
  /** ULID of the turn; null outside turns. */
  readonly turn_id: string | null;
  /** Number of the model call inside the turn, from 1; 0 before the first. */
  readonly step: number;
  readonly type: Type;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  readonly payload: EventPayload<Type>;
}

/** One record of a session's log: what is stored, delivered and printed. */
export type SessionEvent<Type extends EventType = EventType> = {
  [Each in Type]: EventHead<Each>;
}[Type];

/** An event before the log gives it its place: `{type, payload}`. */
export type EventDraft<Type extends EventType = EventType> = {
  [Each in Type]: { readonly type: Each; readonly payload: EventPayload<Each> };
}[Type];

const head = z.object({
  seq: z.number().int().min(1),
  event_id: z.string(),
  session_id: z.string(),
  turn_id: z.string().nullable(),
  step: z.number().int().min(0),
  type: z.enum(Object.keys(EVENT_PAYLOADS) as [EventType, ...EventType[]]),
  timestamp: z.string(),
  payload: z.unknown(),
});

export type ParsedEvent =
  | { readonly ok: true; readonly event: SessionEvent }
  | { readonly ok: false; readonly reason: string };

/** Reads one record; fields that are not known here are dropped. Never throws. */
export function parseEvent(record: unknown): ParsedEvent {
  const parsed = head.safeParse(record);
  if (!parsed.success) return { ok: false, reason: reasonOf(parsed.error) };
  const payload = EVENT_PAYLOADS[parsed.data.type].safeParse(parsed.data.payload);
  if (!payload.success) return { ok: false, reason: `payload: ${reasonOf(payload.error)}` };
  return { ok: true, event: { ...parsed.data, payload: payload.data } as SessionEvent };
}

function reasonOf({ issues: [issue] }: z.ZodError): string {
  return issue === undefined ? "unreadable" : `${issue.path.join(".")}: ${issue.message}`;
}
