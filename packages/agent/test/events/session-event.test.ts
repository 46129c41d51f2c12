import { createId } from "@acumen/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  EVENT_PAYLOADS,
  EVENT_TYPES,
  type EventPayload,
  type EventType,
  parseEvent,
} from "../../src/index.ts";

const text = { type: "text", text: "t" } as const;
const diff = [{ path: "/a", old_text: null, new_text: "x" }];

/** A payload of each type, with every optional field. */
const FULL: { readonly [Type in EventType]: EventPayload<Type> } = {
  SESSION_CREATED: {
    cwd: "/a",
    additional_directories: ["/b"],
    model: "m",
    mode: "safe",
    forked_from: { session_id: createId(), seq: 3 },
  },
  SESSION_RESUMED: { model: "m", mode: "auto", skipped_records: 1 },
  MODE_CHANGED: { mode: "manual", previous: "safe" },
  MODEL_CHANGED: { model: "m", previous: "n" },
  TITLE_CHANGED: { title: "t" },
  USER_MESSAGE: { content: [text], source: "cli" },
  ASSISTANT_MESSAGE: {
    message_id: "m",
    kind: "reasoning",
    text: "t",
    skill_ids: ["s"],
    made_by: { provider: "p", model: "m" },
    provider_metadata: { p: { signature: "s" } },
  },
  TOOL_CALL: {
    call_id: "c",
    tool: "t",
    server: "s",
    exposed_name: "e",
    kind: "edit",
    title: "t",
    input: { a: [1] },
    locations: [{ path: "/a", line: 1 }],
    diff,
    made_by: { provider: "p", model: "m" },
    provider_metadata: {},
  },
  TOOL_RESULT: {
    call_id: "c",
    status: "failed",
    output: [text],
    exit_code: null,
    duration_ms: 1.5,
    truncated: true,
    diff,
  },
  PLAN_UPDATED: { entries: [{ content: "c", status: "in_progress", priority: "high" }] },
  APPROVAL_REQUESTED: { call_id: "c", options: ["allow_once"] },
  APPROVAL_DECIDED: { call_id: "c", decision: "reject_once", by: "nobody", detail: "d" },
  USAGE: {
    input_tokens: 1,
    cached_input_tokens: 0,
    output_tokens: 2,
    context_tokens: 3,
    context_window: null,
    cost: 0.01,
  },
  AUTO_CONTINUE: { reason: "open_plan", count: 1 },
  AUTO_STOP: { reason: "step_limit", limit: 100 },
  BLOCKED: { reason: "question", detail: "d" },
  COMPACT: {
    tokens_before: 2,
    tokens_after: 1,
    strategy: "checkpoint",
    summary: "s",
    kept_from_seq: 4,
  },
  ERROR: { code: "C", message: "m", retryable: false, source: "model", attempt: 1 },
  MCP_STATUS: { server: "s", state: "connected", previous: null, reason: null },
  SKILLS_APPLIED: { skill_ids: [], reason: "r" },
  FEEDBACK: { rated_turn_id: "t", rating: "good", text: "" },
  FILES_RESTORED: { to_seq: 3, paths: ["/a"] },
};

const recordOf = (type: string, payload: unknown, change: object = {}) => ({
  seq: 1,
  event_id: createId(),
  session_id: createId(),
  turn_id: null,
  step: 0,
  type,
  timestamp: "2026-01-01T00:00:00.000Z",
  payload,
  ...change,
});

describe("a record of a log", () => {
  test.each(EVENT_TYPES)("%s comes back as it was written, all keys in snake_case", (type) => {
    const record = recordOf(type, FULL[type]);
    const line = JSON.stringify(record);
    const parsed = parseEvent(JSON.parse(line));
    expect(parsed).toEqual({ ok: true, event: record });
    for (const key of line.match(/(?<=")\w+(?=":)/g) ?? []) expect(key).toMatch(/^[a-z_]+$/);
    expect(EVENT_PAYLOADS[type].safeParse({}).success).toBe(false);
  });

  test("what providers and models wrote is kept to the byte, whatever its keys are called", () => {
    const json = '{"__proto__":{"a":1},"constructor":[{"__proto__":null}],"":{"toString":"x"}}';
    const free = JSON.parse(json) as Record<string, unknown>;
    const payload = { ...FULL.TOOL_CALL, input: free, provider_metadata: free };
    const parsed = parseEvent(recordOf("TOOL_CALL", payload));
    if (!parsed.ok || parsed.event.type !== "TOOL_CALL") throw new Error("no call");
    expect(JSON.stringify(parsed.event.payload.input)).toBe(json);
    expect(JSON.stringify(parsed.event.payload.provider_metadata)).toBe(json);
  });

  test("fields that are not known are left out; a wrong one is named", () => {
    const later = recordOf("TITLE_CHANGED", { title: "t", later: 1 }, { more: 1 });
    const parsed = parseEvent(later);
    expect(parsed).toMatchObject({ ok: true, event: { payload: { title: "t" } } });
    expect(JSON.stringify(parsed)).not.toMatch(/later|more/);
    for (const [record, reason] of [
      [recordOf("TITLE_CHANGED", { title: 1 }), /^payload: title: /],
      [recordOf("TITLE_CHANGED", undefined), /^payload: /],
      [recordOf("UNKNOWN", {}), /^type: /],
      [recordOf("TITLE_CHANGED", { title: "t" }, { seq: 0 }), /^seq: /],
      [
        recordOf("ASSISTANT_MESSAGE", { ...FULL.ASSISTANT_MESSAGE, provider_metadata: [] }),
        /metadata/,
      ],
      [null, /expected object/],
    ] as const) {
      expect(parseEvent(record)).toEqual({ ok: false, reason: expect.stringMatching(reason) });
    }
  });

  test("nothing that JSON can hold makes reading throw", () => {
    const type = fc.constantFrom(...EVENT_TYPES);
    const record = fc.record({ type, payload: fc.jsonValue(), seq: fc.jsonValue() });
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), record), (value) => {
        expect(typeof parseEvent(value).ok).toBe("boolean");
      }),
    );
  });
});
