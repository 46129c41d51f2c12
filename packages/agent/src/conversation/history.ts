import type { ContentBlock } from "../content/content-block.ts";
import type { SessionEvent } from "../events/session-event.ts";
import { continuationRequest, restoredNote } from "./notes.ts";

type CallEvent = SessionEvent<"TOOL_CALL">;
export type ResultEvent = SessionEvent<"TOOL_RESULT">;
export type SaidEvent = SessionEvent<"ASSISTANT_MESSAGE">;

/** A call, with its result as soon as the log has one. */
export interface Call {
  readonly event: CallEvent;
  result?: ResultEvent;
}

/** Everything that one model call said, and what came of it. */
export interface StepEntry {
  readonly type: "step";
  /** Of its first event. */
  readonly seq: number;
  readonly turnId: string | null;
  readonly step: number;
  /** In the order of the log. */
  readonly parts: (SaidEvent | Call)[];
}

interface UserEntry {
  readonly type: "user";
  readonly seq: number;
  readonly turnId: string | null;
  readonly content: readonly ContentBlock[];
}

/** A text of the runtime, sent as a user message. */
interface NoteEntry {
  readonly type: "note";
  readonly seq: number;
  readonly turnId: string | null;
  readonly text: string;
}

export type Entry = StepEntry | UserEntry | NoteEntry;

export interface Summary {
  readonly text: string;
  /** Prompts that the summary stands before and that are still worked on, whole. */
  readonly requests: readonly (readonly ContentBlock[])[];
}

/** What the log says to a model: an optional summary of the beginning, and the entries that follow. */
export interface History {
  readonly summary?: Summary;
  /** Outputs of calls with a lower seq are shown as previews. */
  readonly previewBefore: number;
  readonly entries: readonly Entry[];
}

/** Reads the log. Events in order; a log that ends anywhere, as after a kill, is fine. */
export function historyOf(events: readonly SessionEvent[]): History {
  const checkpoint = events.findLast(
    (event) => event.type === "COMPACT" && event.payload.strategy === "checkpoint",
  );
  const keptFrom = checkpoint?.type === "COMPACT" ? checkpoint.payload.kept_from_seq : 0;
  const reader = new HistoryReader();
  for (const event of events) {
    if (event.seq >= keptFrom) reader.read(event);
  }
  return {
    ...(checkpoint?.type === "COMPACT" && { summary: summaryOf(events, checkpoint) }),
    previewBefore: previewLimit(events),
    entries: reader.entries,
  };
}

/** Calls of the history in order. */
export function callsOf(entries: readonly Entry[]): Call[] {
  return entries.flatMap((entry) =>
    entry.type === "step" ? entry.parts.flatMap((part) => ("event" in part ? [part] : [])) : [],
  );
}

function summaryOf(
  events: readonly SessionEvent[],
  { turn_id, payload }: SessionEvent<"COMPACT">,
): Summary {
  const requests = events.flatMap((event) =>
    event.type === "USER_MESSAGE" &&
    event.turn_id !== null &&
    event.turn_id === turn_id &&
    event.seq < payload.kept_from_seq
      ? [event.payload.content]
      : [],
  );
  return { text: payload.summary, requests };
}

function previewLimit(events: readonly SessionEvent[]): number {
  return events.reduce(
    (limit, { type, payload }) =>
      type === "COMPACT" && payload.strategy === "tool_previews"
        ? Math.max(limit, payload.kept_from_seq)
        : limit,
    0,
  );
}

class HistoryReader {
  readonly entries: Entry[] = [];
  /** Calls without a result. Ids come again: a result belongs to the first such call of its step, or else of its turn. */
  readonly #open = new Map<string, Call[]>();

  /** Events of other types are for people; the model has no use for them. */
  read(event: SessionEvent): void {
    const { seq, turn_id: turnId } = event;
    if (event.type === "USER_MESSAGE") {
      // Outside of turns stand commands that no model was asked about.
      if (turnId === null) return;
      this.entries.push({ type: "user", seq, turnId, content: event.payload.content });
    } else if (event.type === "ASSISTANT_MESSAGE") {
      if (event.payload.kind !== "command") this.#stepOf(event).parts.push(event);
    } else if (event.type === "TOOL_CALL") {
      const call: Call = { event };
      this.#stepOf(event).parts.push(call);
      const key = keyOf(event);
      this.#open.set(key, [...(this.#open.get(key) ?? []), call]);
    } else if (event.type === "TOOL_RESULT") {
      const calls = this.#open.get(keyOf(event)) ?? [];
      const ofStep = calls.findIndex((call) => call.event.step === event.step);
      const [call] = calls.splice(Math.max(0, ofStep), 1);
      if (call !== undefined) call.result = event;
    } else if (event.type === "AUTO_CONTINUE") {
      const text = continuationRequest(event.payload.reason);
      this.entries.push({ type: "note", seq, turnId, text });
    } else if (event.type === "FILES_RESTORED") {
      const text = restoredNote(event.payload.paths);
      this.entries.push({ type: "note", seq, turnId, text });
    }
  }

  #stepOf({ seq, turn_id: turnId, step }: SaidEvent | CallEvent): StepEntry {
    const last = this.entries.at(-1);
    if (last?.type === "step" && last.turnId === turnId && last.step === step) return last;
    const entry: StepEntry = { type: "step", seq, turnId, step, parts: [] };
    this.entries.push(entry);
    return entry;
  }
}

function keyOf({ turn_id: turnId, payload }: CallEvent | ResultEvent): string {
  return JSON.stringify([turnId, payload.call_id]);
}
