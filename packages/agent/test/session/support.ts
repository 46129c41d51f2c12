import { createId } from "@acumen/core";
import type { EventDraft, SessionEvent, SessionMeta } from "../../src/index.ts";

export const START = "2026-01-01T00:00:00.000Z";

export function newMeta(change: Partial<SessionMeta> = {}): SessionMeta {
  return {
    format: "acumen.session",
    version: 1,
    session_id: createId(),
    cwd: "/projects/shop",
    additional_directories: [],
    title: "",
    model: "scripted/test",
    mode: "safe",
    remembered: [],
    created_at: START,
    updated_at: START,
    ...change,
  };
}

/** One record of a session's log. */
export function eventOf(
  sessionId: string,
  seq: number,
  draft: EventDraft = said(`text ${seq}`),
  timestamp = START,
): SessionEvent {
  const { type, payload } = draft;
  const head = { seq, event_id: createId(), session_id: sessionId, turn_id: null, step: 0 };
  return { ...head, type, timestamp, payload } as SessionEvent;
}

export function created(meta: SessionMeta): SessionEvent {
  const { cwd, additional_directories, model, mode } = meta;
  return eventOf(meta.session_id, 1, {
    type: "SESSION_CREATED",
    payload: { cwd, additional_directories, model, mode },
  });
}

export function prompted(text: string): EventDraft<"USER_MESSAGE"> {
  return {
    type: "USER_MESSAGE",
    payload: { content: [{ type: "text", text }], source: "test" },
  };
}

export function said(
  text: string,
  kind: "assistant" | "reasoning" | "command" = "assistant",
): EventDraft<"ASSISTANT_MESSAGE"> {
  return {
    type: "ASSISTANT_MESSAGE",
    payload: { message_id: createId(), kind, text, skill_ids: [] },
  };
}

export function called(callId: string): EventDraft<"TOOL_CALL"> {
  return {
    type: "TOOL_CALL",
    payload: {
      call_id: callId,
      tool: "bash",
      exposed_name: "bash",
      kind: "execute",
      title: "ls",
      input: { command: "ls" },
      locations: [],
      diff: [],
    },
  };
}

export function answered(callId: string): EventDraft<"TOOL_RESULT"> {
  return {
    type: "TOOL_RESULT",
    payload: {
      call_id: callId,
      status: "completed",
      output: [{ type: "text", text: "a.txt" }],
      exit_code: 0,
      duration_ms: 3,
      truncated: false,
      diff: [],
    },
  };
}
