import { EVENT_TYPES, type EventDraft, type EventPayload, type SessionEvent } from "@acumen/agent";
import pc from "picocolors";
import { describe, expect, test } from "vitest";
import {
  type CallFacts,
  changeLines,
  chatLines,
  resultLines,
  thoughtLines,
} from "../../src/chat/chat-lines.ts";

const LOOK = { colours: pc.createColors(false), width: 80 };

function event(draft: EventDraft): SessionEvent {
  return {
    seq: 1,
    event_id: "e",
    session_id: "s",
    turn_id: "t",
    step: 1,
    timestamp: "2026-01-01T00:00:00.000Z",
    ...draft,
  } as SessionEvent;
}

const CALL: EventPayload<"TOOL_CALL"> = {
  call_id: "c",
  tool: "bash",
  exposed_name: "bash",
  kind: "execute",
  title: "npm test",
  input: {},
  locations: [],
  diff: [],
};

const RESULT: EventPayload<"TOOL_RESULT"> = {
  call_id: "c",
  status: "completed",
  output: [],
  exit_code: null,
  duration_ms: 1_234,
  truncated: false,
  diff: [],
};

/** What each type of event looks like; messages and results have functions of their own. */
const SHOWN: readonly (readonly [EventDraft, readonly string[]])[] = [
  [
    {
      type: "SESSION_CREATED",
      payload: { cwd: "/w", additional_directories: [], model: "m", mode: "safe" },
    },
    [],
  ],
  [{ type: "SESSION_RESUMED", payload: { model: "m", mode: "safe", skipped_records: 0 } }, []],
  [{ type: "MODE_CHANGED", payload: { mode: "auto", previous: "safe" } }, ["  mode: safe -> auto"]],
  [{ type: "MODEL_CHANGED", payload: { model: "b/c", previous: "a/b" } }, ["  model: a/b -> b/c"]],
  [
    { type: "MODEL_CHANGED", payload: { model: "b/c", previous: "a/b", thought_level: "low" } },
    ["  model: a/b -> b/c, thought level low"],
  ],
  [
    { type: "MODEL_CHANGED", payload: { model: "a/b", previous: "a/b", thought_level: "low" } },
    ["  thought level: low"],
  ],
  [
    { type: "MODEL_CHANGED", payload: { model: "a/b", previous: "a/b" } },
    ["  thought level: default"],
  ],
  [{ type: "TITLE_CHANGED", payload: { title: "x" } }, []],
  [{ type: "USER_MESSAGE", payload: { content: [], source: "chat" } }, []],
  [
    {
      type: "ASSISTANT_MESSAGE",
      payload: { message_id: "m", kind: "assistant", text: "x", skill_ids: [] },
    },
    [],
  ],
  [{ type: "TOOL_CALL", payload: CALL }, ["> bash npm test"]],
  [{ type: "TOOL_RESULT", payload: RESULT }, ["  ok, 1.2 s"]],
  [
    {
      type: "PLAN_UPDATED",
      payload: {
        entries: [
          { content: "look", status: "completed" },
          { content: "change\nit", status: "in_progress" },
          { content: "test", status: "pending" },
        ],
      },
    },
    ["  Plan", "  [x] look", "  [>] change it", "  [ ] test"],
  ],
  [{ type: "APPROVAL_REQUESTED", payload: { call_id: "c", options: [] } }, []],
  [{ type: "APPROVAL_DECIDED", payload: { call_id: "c", decision: "allow_once", by: "user" } }, []],
  [{ type: "APPROVAL_DECIDED", payload: { call_id: "c", decision: "allow_once", by: "mode" } }, []],
  [
    {
      type: "APPROVAL_DECIDED",
      payload: { call_id: "c", decision: "allow_once", by: "rule", detail: "bash(npm test *)" },
    },
    ["  allowed by the rule bash(npm test *)"],
  ],
  [
    {
      type: "APPROVAL_DECIDED",
      payload: { call_id: "c", decision: "allow_always", by: "remembered" },
    },
    ["  allowed by an earlier answer"],
  ],
  [
    {
      type: "USAGE",
      payload: {
        input_tokens: 1,
        cached_input_tokens: 0,
        output_tokens: 1,
        context_tokens: 2,
        context_window: null,
      },
    },
    [],
  ],
  [
    { type: "AUTO_CONTINUE", payload: { reason: "open_plan", count: 1 } },
    ["  goes on by itself: the plan is not done"],
  ],
  [
    { type: "AUTO_STOP", payload: { reason: "step_limit", limit: 100 } },
    [
      "  Stopped by a limit: step limit (100). Say `go on`, or start with a larger",
      "  --max-steps.",
    ],
  ],
  [
    { type: "BLOCKED", payload: { reason: "approval_rejected", detail: "npm test" } },
    ["  Blocked: approval rejected. npm test. Say what to do instead."],
  ],
  [
    { type: "BLOCKED", payload: { reason: "context_full", detail: "It is full." } },
    ["  Blocked: context full. It is full. Use /compact, or begin anew with /new."],
  ],
  // The error beside it says it.
  [{ type: "BLOCKED", payload: { reason: "no_credentials", detail: "x" } }, []],
  [
    {
      type: "COMPACT",
      payload: {
        tokens_before: 9_000,
        tokens_after: 800,
        strategy: "checkpoint",
        summary: "s",
        kept_from_seq: 1,
      },
    },
    ["  history compacted: 9000 -> 800 tokens"],
  ],
  [
    {
      type: "ERROR",
      payload: {
        code: "MODEL_FAILED",
        message: "It is\u001B[2J away. Try again.",
        retryable: false,
        source: "model",
        attempt: 1,
      },
    },
    ["  MODEL_FAILED: It is[2J away. Try again."],
  ],
  // Said whenever it happens, by somebody else.
  [
    {
      type: "MCP_STATUS",
      payload: { server: "files", state: "error", previous: null, reason: "gone" },
    },
    [],
  ],
  [{ type: "SKILLS_APPLIED", payload: { skill_ids: ["a"], reason: "r" } }, []],
  [{ type: "FEEDBACK", payload: { rated_turn_id: "t", rating: "good", text: "" } }, []],
  [
    { type: "FILES_RESTORED", payload: { to_seq: 1, paths: ["/w/a.txt"] } },
    ["  restored /w/a.txt"],
  ],
];

describe("every type of event", () => {
  test("is in the table", () => {
    expect(new Set(SHOWN.map(([{ type }]) => type))).toEqual(new Set(EVENT_TYPES));
  });

  test.each(SHOWN)("%j", (draft, expected) => {
    expect(chatLines(event(draft), LOOK)).toEqual(expected);
  });

  test("fits 80 columns whatever is in it", () => {
    const long = "word\u001B[31m ".repeat(100) + "x".repeat(300);
    const drafts: EventDraft[] = [
      { type: "TOOL_CALL", payload: { ...CALL, title: long } },
      { type: "BLOCKED", payload: { reason: "question", detail: long } },
      {
        type: "ERROR",
        payload: { code: "C", message: long, retryable: false, source: "model", attempt: 1 },
      },
      { type: "PLAN_UPDATED", payload: { entries: [{ content: long, status: "pending" }] } },
      { type: "FILES_RESTORED", payload: { to_seq: 1, paths: [long] } },
      { type: "MODEL_CHANGED", payload: { model: long, previous: `${long}/old` } },
    ];
    for (const draft of drafts) {
      for (const line of chatLines(event(draft), LOOK)) {
        expect(line.length).toBeLessThanOrEqual(80);
        expect(line).not.toContain("\u001B");
      }
    }
  });

  test("has colours where there are some", () => {
    const coloured = { colours: pc.createColors(true), width: 80 };
    const [line] = chatLines(event({ type: "TOOL_CALL", payload: CALL }), coloured);
    expect(line).toContain("\u001B[");
  });
});

describe("a result", () => {
  const facts: CallFacts = { call: CALL, isAbove: true, wasShown: false };
  const text = (lines: number) => [
    {
      type: "text" as const,
      text: Array.from({ length: lines }, (_, i) => `line ${i}`).join("\n"),
    },
  ];

  test("names its call when that does not stand above", () => {
    expect(resultLines(RESULT, { ...facts, isAbove: false }, LOOK)).toEqual([
      "  ok (npm test), 1.2 s",
    ]);
  });

  test("of a command shows head and tail of what it printed, and its exit code", () => {
    const result = { ...RESULT, status: "failed" as const, exit_code: 2, output: text(30) };
    const lines = resultLines(result, facts, LOOK);
    expect(lines[0]).toBe("  failed, exit code 2, 1.2 s");
    expect(lines.slice(1, 3)).toEqual(["  | line 0", "  | line 1"]);
    expect(lines).toContain("  … 18 more lines");
    expect(lines.at(-1)).toBe("  | line 29");
    expect(lines).toHaveLength(14);
  });

  test("keeps the columns of a report, and no control sequence", () => {
    const output = [{ type: "text" as const, text: "  a\tb\u001B]0;title\u0007" }];
    expect(resultLines({ ...RESULT, output }, facts, LOOK)[1]).toBe("  |   a    b]0;title");
  });

  test("of a tool of a server shows what that wrote without what drives a terminal or turns text around", () => {
    const call = { ...CALL, kind: "other" as const, server: "notes" };
    const hostile = "a\u001B[2J\u001B]8;;http://x\u0007b\u009B31m\u202Ec\u2066d\u200B\rover";
    for (const status of ["completed", "failed", "rejected"] as const) {
      const result = { ...RESULT, status, output: [{ type: "text" as const, text: hostile }] };
      const shown = resultLines(result, { ...facts, call }, LOOK).join("\n");
      expect(shown).toContain("over");
      expect(shown).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
    }
  });

  test("of a file that was read says nothing of its content; that it failed is said", () => {
    const call = { ...CALL, kind: "read" as const };
    const read = { ...facts, call };
    expect(resultLines({ ...RESULT, output: text(3) }, read, LOOK)).toHaveLength(1);
    const failed = { ...RESULT, status: "failed" as const, output: text(1) };
    expect(resultLines(failed, read, LOOK)).toEqual(["  failed, 1.2 s", "  | line 0"]);
  });

  test("of a rejected call says all of why", () => {
    const output = [{ type: "text" as const, text: "because ".repeat(40) }];
    const lines = resultLines({ ...RESULT, status: "rejected", output }, facts, LOOK);
    expect(lines.join(" ").match(/because/g)).toHaveLength(40);
  });

  test("of an edit shows the change, unless that was shown already", () => {
    const diff = [{ path: "/w/a.ts", old_text: "one\n", new_text: "two\n" }];
    expect(resultLines({ ...RESULT, diff }, facts, LOOK)).toEqual([
      "  ok, 1.2 s, +1 -1",
      "  edit /w/a.ts",
      "  @@ -1,1 +1,1 @@",
      "  -one",
      "  +two",
    ]);
    expect(resultLines({ ...RESULT, diff }, { ...facts, wasShown: true }, LOOK)).toHaveLength(1);
  });
});

test("a long change is cut and says by how much; its lines fit", () => {
  const diff = { path: "/w/a.txt", old_text: null, new_text: `${"x".repeat(200)}\n`.repeat(100) };
  const lines = changeLines(diff, LOOK);
  expect(lines).toHaveLength(41);
  expect(lines.at(-1)).toBe("  … 62 more lines");
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
});

test("a thought is short", () => {
  const lines = thoughtLines("I think about it. ".repeat(100), LOOK);
  expect(lines).toHaveLength(4);
  expect(lines[0]).toMatch(/^thinking: I think about it\./);
  expect(lines.at(-1)).toBe("…");
});
