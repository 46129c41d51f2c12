import type { EventDraft, EventPayload, TransientUpdate } from "@acumen/agent";

export function prompt(text: string): EventDraft {
  return {
    type: "USER_MESSAGE",
    payload: { content: [{ type: "text", text }], source: "acp" },
  };
}

export function message(
  id: string,
  text: string,
  kind: EventPayload<"ASSISTANT_MESSAGE">["kind"] = "assistant",
): EventDraft {
  return { type: "ASSISTANT_MESSAGE", payload: { message_id: id, kind, text, skill_ids: [] } };
}

export function call(id: string, more: Partial<EventPayload<"TOOL_CALL">> = {}): EventDraft {
  return {
    type: "TOOL_CALL",
    payload: {
      call_id: id,
      tool: "bash",
      exposed_name: "bash",
      kind: "execute",
      title: "npm test",
      input: { command: "npm test" },
      locations: [],
      diff: [],
      ...more,
    },
  };
}

export function result(id: string, more: Partial<EventPayload<"TOOL_RESULT">> = {}): EventDraft {
  return {
    type: "TOOL_RESULT",
    payload: {
      call_id: id,
      status: "completed",
      output: [{ type: "text", text: "ok" }],
      exit_code: 0,
      duration_ms: 12,
      truncated: false,
      diff: [],
      ...more,
    },
  };
}

export function usage(more: Partial<EventPayload<"USAGE">> = {}): EventDraft {
  return {
    type: "USAGE",
    payload: {
      input_tokens: 100,
      cached_input_tokens: 0,
      output_tokens: 10,
      context_tokens: 110,
      context_window: 200_000,
      cost: 0.25,
      ...more,
    },
  };
}

export function server(state: string, more: Partial<EventPayload<"MCP_STATUS">> = {}): EventDraft {
  return {
    type: "MCP_STATUS",
    payload: { server: "docs", state, previous: "connecting", reason: null, ...more },
  };
}

export function delta(
  id: string,
  text: string,
  kind: "assistant" | "reasoning" = "assistant",
): { readonly transient: TransientUpdate } {
  return { transient: { type: "delta", turn_id: "t1", message_id: id, kind, text } };
}

export function started(id: string): { readonly transient: TransientUpdate } {
  return { transient: { type: "tool_started", turn_id: "t1", call_id: id } };
}

export function output(id: string, text: string): { readonly transient: TransientUpdate } {
  return { transient: { type: "tool_output", turn_id: "t1", call_id: id, text } };
}

/** One of each type that a turn, or the time between turns, can bring besides messages and calls. */
export const NOTES: readonly EventDraft[] = [
  { type: "AUTO_CONTINUE", payload: { reason: "open_plan", count: 1 } },
  { type: "AUTO_STOP", payload: { reason: "step_limit", limit: 100 } },
  { type: "BLOCKED", payload: { reason: "question", detail: "Which file?" } },
  {
    type: "COMPACT",
    payload: {
      tokens_before: 9_000,
      tokens_after: 900,
      strategy: "checkpoint",
      summary: "Goal: tests.",
      kept_from_seq: 2,
    },
  },
  {
    type: "ERROR",
    payload: {
      code: "MODEL_FAILED",
      message: "overloaded",
      retryable: true,
      source: "model",
      attempt: 2,
    },
  },
  server("error", { reason: "exited with code 1" }),
  { type: "SKILLS_APPLIED", payload: { skill_ids: ["s-1"], reason: "fits the question" } },
  { type: "FEEDBACK", payload: { rated_turn_id: "t1", rating: "good", text: "neat" } },
  { type: "FILES_RESTORED", payload: { to_seq: 3, paths: ["/w/a.txt"] } },
];
