import { type Clock, createId } from "@acumen/core";
import { agentError } from "../errors.ts";
import type { SessionEvent } from "../events/session-event.ts";
import { sessionInvalid } from "./session-errors.ts";
import type { SessionMeta } from "./session-meta.ts";
import type { SessionStore, StoredSession } from "./session-store.ts";
import { metaFromEvents } from "./stored-meta.ts";
import { levelField } from "./thought-level-field.ts";

/**
 * A new session with the events of another up to and with `atSeq`, which keep their seq. Model, thought level and mode are those of that moment.
 * What was remembered for good is not taken along, nor are before-images: consent and undo belong to the session of the work.
 * @param options.atSeq default: the last event after which no call waits for its result. The session may be open elsewhere.
 * @throws AGENT_SESSION_NOT_FOUND; AGENT_SESSION_INVALID; AGENT_EVENT_UNKNOWN when the log has no such event or cannot be cut
 * there (`details.before`, `details.after`: the nearest seqs where it can); AGENT_STORE_FAILED
 */
export async function forkSession(
  store: SessionStore,
  sessionId: string,
  options: { readonly clock: Clock; readonly atSeq?: number },
): Promise<SessionMeta> {
  const source = await store.read(sessionId);
  const cut = cutOf(source, options.atSeq);
  const forkId = createId();
  const now = options.clock.now().toISOString();
  const events = [
    beginningOf(source, { forkId, now, cut }),
    ...source.events
      .filter((event) => event.seq <= cut && event.type !== "SESSION_CREATED")
      .map((event) => ({ ...event, event_id: createId(), session_id: forkId })),
  ] satisfies SessionEvent[];
  const titled = events.some((event) => event.type === "USER_MESSAGE");
  const meta: SessionMeta = {
    ...(metaFromEvents(events) ?? source.meta),
    session_id: forkId,
    title: titled ? source.meta.title : "",
    created_at: now,
    updated_at: now,
  };
  const opened = await store.create(meta, events);
  await opened.close();
  return meta;
}

/** The first event of the fork; a log whose first record is lost has at least what the metadata says. */
function beginningOf(
  { events, meta }: StoredSession,
  fork: { readonly forkId: string; readonly now: string; readonly cut: number },
): SessionEvent<"SESSION_CREATED"> {
  const created = events.find((event) => event.type === "SESSION_CREATED");
  if (created === undefined && events[0]?.seq === 1) {
    throw sessionInvalid(meta.session_id, "its log does not begin with SESSION_CREATED");
  }
  const { cwd, additional_directories, model, mode, thought_level } = created?.payload ?? meta;
  return {
    seq: created?.seq ?? 1,
    event_id: createId(),
    session_id: fork.forkId,
    turn_id: null,
    step: 0,
    type: "SESSION_CREATED",
    timestamp: fork.now,
    payload: {
      cwd,
      additional_directories,
      model,
      mode,
      ...levelField(thought_level),
      forked_from: { session_id: meta.session_id, seq: fork.cut },
    },
  };
}

function cutOf({ events, meta }: StoredSession, atSeq: number | undefined): number {
  const places = placesOf(events);
  if (atSeq === undefined) return places.at(-1) ?? 1;
  if (places.includes(atSeq)) return atSeq;
  const before = places.findLast((seq) => seq < atSeq);
  const after = places.find((seq) => seq > atSeq);
  const nearest = [before, after].filter((seq) => seq !== undefined);
  const why = events.some(({ seq }) => seq === atSeq)
    ? `The session ${meta.session_id} can't be forked at event ${atSeq}: a call has no result there yet, or a thought nothing that came of it.`
    : `The session ${meta.session_id} has no event ${atSeq}.`;
  const remedy = nearest.length === 0 ? "" : ` Fork it at event ${nearest.join(" or ")}.`;
  throw agentError("AGENT_EVENT_UNKNOWN", `${why}${remedy}`, {
    details: { seq: atSeq, before: before ?? null, after: after ?? null },
  });
}

/** Seqs after which the conversation is one that every provider takes: no call without its result, no thought without what came of it. */
function placesOf(events: readonly SessionEvent[]): number[] {
  const places: number[] = [];
  /** Ids of calls without a result; old logs may have one twice. */
  const openCalls: string[] = [];
  let openThought = false;
  for (const event of events) {
    if (event.type === "TOOL_CALL") openCalls.push(event.payload.call_id);
    if (event.type === "TOOL_RESULT") {
      const at = openCalls.indexOf(event.payload.call_id);
      if (at >= 0) openCalls.splice(at, 1);
    }
    if (event.type === "TOOL_CALL") openThought = false;
    if (event.type === "ASSISTANT_MESSAGE" && event.payload.kind !== "command") {
      openThought = event.payload.kind === "reasoning";
    }
    if (event.type === "USER_MESSAGE") {
      // What an earlier turn left open stays so: its process died.
      openThought = false;
      openCalls.length = 0;
    }
    if (openCalls.length === 0 && !openThought) places.push(event.seq);
  }
  return places;
}
