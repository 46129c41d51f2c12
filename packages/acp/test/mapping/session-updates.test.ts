import type { EventDraft, SessionEvent } from "@acumen/agent";
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { describe, expect, test } from "vitest";
import {
  call,
  delta,
  message,
  NOTES,
  output,
  prompt,
  result,
  server,
  started,
  usage,
} from "./support/drafts.ts";
import {
  inTurn,
  isEvent,
  logged,
  mapperFor,
  OPTIONS,
  outside,
  recordOf,
  updatesOf,
} from "./support/scripted-session.ts";

const DIFF = [{ path: "/w/a.txt", old_text: "a\n", new_text: "b\n" }];
const WIRE_DIFF = { type: "diff", path: "/w/a.txt", oldText: "a\n", newText: "b\n" };

function kinds(updates: readonly SessionUpdate[]): string[] {
  return updates.map(({ sessionUpdate }) => sessionUpdate);
}

function text(update: SessionUpdate | undefined): unknown {
  return update !== undefined && "content" in update && update.content !== null
    ? (update.content as { text?: unknown }).text
    : undefined;
}

describe("messages", () => {
  test("a prompt is not sent back live, and its record rides on the turn's first session_info_update", () => {
    const [first, ...more] = updatesOf(logged(inTurn("t1", prompt("Hello."))));
    expect(first).toMatchObject({ sessionUpdate: "session_info_update" });
    expect(recordOf(first)).toEqual({
      seq: 1,
      type: "USER_MESSAGE",
      payload: { content: [{ type: "text", text: "Hello." }], source: "acp" },
    });
    expect(more).toEqual([]);
  });

  test("thoughts, messages and output of commands come as chunks with the id of their message", () => {
    const updates = updatesOf(
      logged(
        inTurn(
          "t1",
          message("m1", "Hm.", "reasoning"),
          message("m2", "Yes."),
          message("m3", "Status: fine.", "command"),
        ),
      ),
    );
    expect(updates).toMatchObject([
      { sessionUpdate: "agent_thought_chunk", messageId: "m1", content: { text: "Hm." } },
      { sessionUpdate: "agent_message_chunk", messageId: "m2", content: { text: "Yes." } },
      { sessionUpdate: "agent_message_chunk", messageId: "m3", content: { text: "Status: fine." } },
    ]);
  });

  test("no host gets an empty piece of text, which some show as an empty thought", () => {
    const updates = updatesOf(
      logged([
        delta("m1", "Hm.", "reasoning"),
        ...inTurn("t1", message("m1", "Hm.", "reasoning"), message("m2", "", "reasoning")),
      ]),
    );
    expect(updates.map(text)).toEqual(["Hm.", undefined, undefined]);
    expect(updates.map((one) => recordOf(one)?.seq)).toEqual([undefined, 1, 2]);
  });
});

describe("calls", () => {
  test("a call is announced once with all that is known, runs, and ends with its diff and output", () => {
    const announced = call("c1", {
      kind: "edit",
      tool: "edit",
      exposed_name: "edit",
      title: "Edit a.txt",
      input: { path: "a.txt" },
      locations: [
        { path: "/w/a.txt", line: 3 },
        { path: "/w/b.txt", line: 0 },
      ],
      diff: DIFF,
    });
    const [first, second, third] = updatesOf(
      logged([
        ...inTurn("t1", announced),
        started("c1"),
        ...inTurn(
          "t1",
          result("c1", { exit_code: null, output: [{ type: "text", text: "1 edit" }] }),
        ),
      ]),
    );
    expect(first).toMatchObject({
      sessionUpdate: "tool_call",
      toolCallId: "c1",
      title: "Edit a.txt",
      name: "edit",
      kind: "edit",
      status: "pending",
      rawInput: { path: "a.txt" },
      content: [WIRE_DIFF],
    });
    expect(first).toHaveProperty("locations", [
      { path: "/w/a.txt", line: 3 },
      { path: "/w/b.txt" },
    ]);
    expect(second).toEqual({
      sessionUpdate: "tool_call_update",
      toolCallId: "c1",
      status: "in_progress",
    });
    expect(third).toMatchObject({
      sessionUpdate: "tool_call_update",
      toolCallId: "c1",
      status: "completed",
      content: [WIRE_DIFF, { type: "content", content: { type: "text", text: "1 edit" } }],
      rawOutput: { status: "completed", exit_code: null, truncated: false },
    });
  });

  test.each([
    ["completed", "completed"],
    ["failed", "failed"],
    ["rejected", "failed"],
    ["cancelled", "failed"],
  ] as const)("a call that is %s ends as %s, with the text that says why", (status, shown) => {
    const why = { type: "text" as const, text: "The user said so." };
    const [, end] = updatesOf(
      logged(inTurn("t1", call("c1"), result("c1", { status, exit_code: null, output: [why] }))),
    );
    expect(end).toMatchObject({ status: shown });
    expect(JSON.stringify(end)).toContain("The user said so.");
  });

  test("what a command printed is fenced, also around fences, and a file's or server's blocks stay typed", () => {
    const blocks = [
      { type: "text" as const, text: "# a\n```\nb" },
      { type: "image" as const, mime_type: "image/png", data: "AAAA" },
      { type: "resource_link" as const, uri: "file:///w/a", name: "a", mime_type: "text/plain" },
      { type: "resource" as const, uri: "mem://x", text: "inside" },
      { type: "structured" as const, data: { a: [1] } },
    ];
    const [, end] = updatesOf(logged(inTurn("t1", call("c1"), result("c1", { output: blocks }))));
    expect(end).toHaveProperty("content", [
      { type: "content", content: { type: "text", text: "````\n# a\n```\nb\n````" } },
      { type: "content", content: { type: "image", mimeType: "image/png", data: "AAAA" } },
      {
        type: "content",
        content: { type: "resource_link", uri: "file:///w/a", name: "a", mimeType: "text/plain" },
      },
      {
        type: "content",
        content: { type: "resource", resource: { uri: "mem://x", text: "inside" } },
      },
      { type: "content", content: { type: "text", text: '```\n{\n  "a": [\n    1\n  ]\n}\n```' } },
    ]);
    expect(end).toHaveProperty("rawOutput.output.0", { type: "text", text: "# a\n```\nb" });
    expect(JSON.stringify((end as { rawOutput: unknown }).rawOutput)).not.toContain("AAAA");
  });

  test("rawOutput stays small whatever a call put out", () => {
    const long = { type: "text" as const, text: "x".repeat(50_000) };
    const [, end] = updatesOf(logged(inTurn("t1", call("c1"), result("c1", { output: [long] }))));
    expect(JSON.stringify((end as { rawOutput: unknown }).rawOutput).length).toBeLessThan(2_500);
  });

  test("output is shown while a call runs, beside its diff, and never after its end", () => {
    const mapper = mapperFor();
    const [announced, end] = logged(inTurn("t1", call("c1", { diff: DIFF }), result("c1"))).filter(
      isEvent,
    ) as [SessionEvent, SessionEvent];
    const { transient } = output("c1", "building\n");
    expect(mapper.ofTransient(transient)).toEqual([]);
    mapper.ofEvent(announced);
    expect(mapper.ofTransient(transient)).toMatchObject([
      {
        toolCallId: "c1",
        status: "in_progress",
        content: [WIRE_DIFF, { content: { text: "```\nbuilding\n```" } }],
      },
    ]);
    mapper.ofEvent(end);
    expect(mapper.ofTransient(transient)).toEqual([]);
    expect(mapper.ofTransient(started("c1").transient)).toEqual([]);
  });

  test("output that nothing follows is shown a moment later", async () => {
    const shown: SessionUpdate[] = [];
    const mapper = mapperFor({ late: () => shown.push(...mapper.ofLate()) });
    const [announced] = logged(inTurn("t1", call("c1"))).filter(isEvent);
    if (announced !== undefined) mapper.ofEvent(announced);
    mapper.ofTransient(output("c1", "compiling\n").transient);
    expect(mapper.ofTransient(output("c1", "listening\n").transient)).toEqual([]);
    await expect
      .poll(() => shown)
      .toMatchObject([
        {
          status: "in_progress",
          content: [{ content: { text: "```\ncompiling\nlistening\n```" } }],
        },
      ]);
  });

  test("output that was due is not shown any more when its call has ended before it was asked for", async () => {
    let isDue = false;
    const mapper = mapperFor({
      late: () => {
        isDue = true;
      },
    });
    const events = logged(inTurn("t1", call("c1"), result("c1"))).filter(isEvent);
    const [announced, end] = events as [SessionEvent, SessionEvent];
    mapper.ofEvent(announced);
    for (const piece of ["a", "b"]) mapper.ofTransient(output("c1", piece).transient);
    await expect.poll(() => isDue).toBe(true);
    mapper.ofEvent(end);
    expect(mapper.ofLate()).toEqual([]);
  });

  test("a result of a call that was never announced, or that has ended, is no update", () => {
    const happenings = logged(inTurn("t1", call("c1"), result("c1"), result("c1"), result("c2")));
    expect(kinds(updatesOf(happenings))).toEqual(["tool_call", "tool_call_update"]);
  });
});

describe("settings", () => {
  test("a new mode comes as mode and as the complete list of options", () => {
    const changed: EventDraft = {
      type: "MODE_CHANGED",
      payload: { mode: "manual", previous: "safe" },
    };
    const [mode, options] = updatesOf(logged(outside(changed)));
    expect(mode).toMatchObject({ sessionUpdate: "current_mode_update", currentModeId: "manual" });
    expect(options).toMatchObject({
      sessionUpdate: "config_option_update",
      configOptions: [{ id: "mode", currentValue: "manual" }, { ...OPTIONS[1] }],
    });
    expect([mode, options].map((one) => recordOf(one)?.seq)).toEqual([1, 1]);
  });

  test("where the workspace is not trusted, mode auto is shown as what it acts as", () => {
    const changed: EventDraft = {
      type: "MODE_CHANGED",
      payload: { mode: "auto", previous: "manual" },
    };
    expect(updatesOf(logged(outside(changed)), { trusted: false })).toMatchObject([
      { currentModeId: "safe" },
      { configOptions: [{ currentValue: "safe" }, {}] },
    ]);
    expect(updatesOf(logged(outside(changed)))).toMatchObject([
      { currentModeId: "auto" },
      { configOptions: [{ currentValue: "auto" }, {}] },
    ]);
  });

  test("a new model comes as the complete list of options; one that is gone is no value", () => {
    const models = ["m/two", "m/gone"].map((model): EventDraft => ({
      type: "MODEL_CHANGED",
      payload: { model, previous: "m/one" },
    }));
    expect(updatesOf(logged(outside(...models)))).toMatchObject([
      { configOptions: [{ id: "mode" }, { id: "model", currentValue: "m/two" }] },
      { configOptions: [{ id: "mode" }, { id: "model", currentValue: "m/one" }] },
    ]);
  });

  test("a title comes with its time, a plan whole with a priority for each entry", () => {
    const updates = updatesOf(
      logged(
        inTurn(
          "t1",
          { type: "TITLE_CHANGED", payload: { title: "Fix it" } },
          { type: "PLAN_UPDATED", payload: { entries: [{ content: "A", status: "pending" }] } },
        ),
      ),
    );
    expect(updates).toMatchObject([
      {
        sessionUpdate: "session_info_update",
        title: "Fix it",
        updatedAt: "1970-01-01T00:00:01.000Z",
      },
      {
        sessionUpdate: "plan",
        entries: [{ content: "A", status: "pending", priority: "medium" }],
      },
    ]);
  });

  test("usage says the context, its window and the cost of the session, as long as each price is known", () => {
    const before = logged(inTurn("t0", usage({ cost: 1 }))).filter(isEvent);
    const happenings = logged(
      inTurn("t1", usage(), usage({ context_tokens: 300 }), usage({ context_window: null })),
    );
    expect(updatesOf(happenings, { past: before })).toMatchObject([
      {
        sessionUpdate: "usage_update",
        used: 110,
        size: 200_000,
        cost: { amount: 1.25, currency: "USD" },
      },
      { sessionUpdate: "usage_update", used: 300, cost: { amount: 1.5, currency: "USD" } },
      {
        sessionUpdate: "session_info_update",
        _meta: { "acumen/event": { type: "USAGE", payload: { context_window: null } } },
      },
    ]);
    const unpriced: EventDraft = {
      type: "USAGE",
      payload: {
        input_tokens: 1,
        cached_input_tokens: 0,
        output_tokens: 1,
        context_tokens: 2,
        context_window: 100,
      },
    };
    for (const update of updatesOf(logged(inTurn("t1", unpriced, usage())))) {
      expect(update).not.toHaveProperty("cost");
    }
  });
});

describe("what a person should know", () => {
  test("comes as one short thought where the host knows nothing better", () => {
    const updates = updatesOf(logged(inTurn("t1", ...NOTES)));
    expect(updates.map(text)).toEqual([
      "\nGoes on by itself: open plan.\n",
      "\nStopped by a limit: step limit (100).\n",
      "\nBlocked: question. Which file?\n",
      "Which file?",
      "\nHistory compacted: 9000 -> 900 tokens.\n",
      "\nMODEL_FAILED (model). overloaded\n",
      "\nMCP server docs: error. exited with code 1\n",
      "\n1 skill of the skillbook applied. fits the question\n",
      "\nTurn rated good. neat\n",
      "\n1 file restored. /w/a.txt\n",
    ]);
    expect(new Set(updates.map(({ sessionUpdate }) => sessionUpdate))).toEqual(
      new Set(["agent_thought_chunk", "agent_message_chunk"]),
    );
    const ids = updates.map((update) => (update as { messageId?: string }).messageId);
    expect(new Set(ids).size).toBe(updates.length);
  });

  test("comes as notices and compactions where the host opted in", () => {
    const updates = updatesOf(logged(inTurn("t1", ...NOTES)), { notices: true, compaction: true });
    expect(kinds(updates)).toEqual([
      "notice",
      "notice",
      "notice",
      "agent_message_chunk",
      "compaction_update",
      "notice",
      "notice",
      "notice",
      "notice",
      "notice",
    ]);
    expect(updates[4]).toMatchObject({
      compactionId: "event-4",
      status: "completed",
      summary: [{ type: "text", text: "Goal: tests." }],
    });
    expect(updates[6]).toMatchObject({
      severity: "warning",
      title: "MCP server docs: error",
      description: "exited with code 1",
    });
  });

  test("says nothing of a server that connects, of one that is not used, and of no skills", () => {
    const quiet = inTurn(
      "t1",
      server("connecting", { previous: null }),
      server("disabled", { previous: null }),
      { type: "SKILLS_APPLIED", payload: { skill_ids: [], reason: "no book" } },
    );
    expect(updatesOf(logged(quiet))).toMatchObject([
      {
        sessionUpdate: "session_info_update",
        _meta: { "acumen/event": { type: "SKILLS_APPLIED", payload: { skill_ids: [] } } },
      },
    ]);
  });

  test("is short and on one line, whatever a server says", () => {
    const reason = "\u001B[31mline\nline\u2028".repeat(400);
    const [update] = updatesOf(logged(inTurn("t1", server("error", { reason }))));
    expect(String(text(update)).length).toBeLessThan(1_300);
    expect(String(text(update)).trim()).not.toMatch(/[\p{Cc}\p{Zl}]/u);
  });
});

describe("outside of turns", () => {
  test("what is said waits for the next turn, and is said once, behind the prompt", () => {
    const happenings = logged([
      ...outside(server("error")),
      ...inTurn("t1", prompt("Hi."), message("m1", "Hello.")),
      ...outside({ type: "FEEDBACK", payload: { rated_turn_id: "t1", rating: "bad", text: "" } }),
      ...inTurn("t2", prompt("Again."), message("m2", "Yes.")),
    ]);
    const updates = updatesOf(happenings);
    expect(updates.map((update) => recordOf(update)?.type)).toEqual([
      "USER_MESSAGE",
      "MCP_STATUS",
      "ASSISTANT_MESSAGE",
      "USER_MESSAGE",
      "FEEDBACK",
      "ASSISTANT_MESSAGE",
    ]);
  });

  test("during a turn it is said with the turn's next event, also to a host that reads slowly", () => {
    const mapper = mapperFor();
    const [first, second, outsideTurn, third] = logged([
      ...inTurn("t1", prompt("Hi."), message("m1", "One.")),
      ...outside(server("error")),
      ...inTurn("t1", usage()),
    ]).filter(isEvent) as [SessionEvent, SessionEvent, SessionEvent, SessionEvent];
    mapper.ofEvent(first);
    // The turn's events come through a channel of their own, which may lag behind.
    mapper.ofEvent(outsideTurn);
    expect(mapper.ofEvent(second).map((one) => recordOf(one)?.seq)).toEqual([2]);
    expect(mapper.ofEvent(third).map((one) => recordOf(one)?.seq)).toEqual([3, 4]);
  });

  test("the output of a local command and what it did are said at once", () => {
    const happenings = logged([
      ...outside(prompt("/undo")),
      ...outside({ type: "FILES_RESTORED", payload: { to_seq: 1, paths: ["/w/a"] } }),
      ...outside(message("n1", "Auto acts as safe here.", "command"), server("error")),
      ...outside(message("o1", "Undone.", "command"), server("missing")),
    ]);
    expect(updatesOf(happenings).map((one) => recordOf(one)?.seq)).toEqual([1, 2, 3, 4, 5]);
  });

  test("no more than fifty messages wait; the others are counted", () => {
    const restless = Array.from({ length: 60 }, () => server("error"));
    const updates = updatesOf(logged([...outside(...restless), ...inTurn("t1", prompt("Hi."))]));
    expect(updates).toHaveLength(52);
    expect(text(updates[1])).toContain("10 earlier messages");
    expect(recordOf(updates[2])?.seq).toBe(11);
  });
});

describe("no call stays open", () => {
  test("at the end of a turn a call without a result has failed, and a late result changes nothing", () => {
    const mapper = mapperFor();
    const [announced, late] = logged(inTurn("t1", call("c1", { diff: DIFF }), result("c1"))).filter(
      isEvent,
    ) as [SessionEvent, SessionEvent];
    mapper.ofEvent(announced);
    expect(mapper.unfinished()).toMatchObject([
      { toolCallId: "c1", status: "failed", content: [WIRE_DIFF, { type: "content" }] },
    ]);
    expect(mapper.unfinished()).toEqual([]);
    expect(mapper.ofEvent(late)).toEqual([]);
  });

  test("in a replay a call that a crash cut off has failed before the session goes on", () => {
    const updates = updatesOf(
      logged([
        ...inTurn("t1", prompt("Go."), call("c1")),
        ...outside({
          type: "SESSION_RESUMED",
          payload: { model: "m/one", mode: "safe", skipped_records: 0 },
        }),
        ...inTurn("t2", prompt("Go on."), call("c2")),
        ...inTurn("t3", prompt("And on.")),
      ]),
      { replay: true },
    );
    expect(kinds(updates)).toEqual([
      "user_message_chunk",
      "tool_call",
      "tool_call_update",
      "user_message_chunk",
      "tool_call",
      "tool_call_update",
      "user_message_chunk",
    ]);
  });

  test("the end of a replay shows what still waits for a turn, and a compacted history whole", () => {
    const updates = updatesOf(
      logged([
        ...inTurn("t1", prompt("Old."), message("m1", "Old answer.")),
        ...outside(...NOTES.filter(({ type }) => type === "COMPACT")),
      ]),
      { replay: true },
    );
    expect(updates.map(text)).toEqual([
      "Old.",
      "Old answer.",
      "\nHistory compacted: 9000 -> 900 tokens.\n",
    ]);
  });
});

test("no text breaks JSON for a strict reader", () => {
  const odd = "a\uD800b\0c\uDC00";
  const updates = updatesOf(
    logged([
      delta("m1", odd),
      ...inTurn(
        "t1",
        prompt(odd),
        call("c1", {
          input: { [odd]: [odd] },
          title: odd,
          diff: [{ path: odd, old_text: odd, new_text: odd }],
        }),
        result("c1", { output: [{ type: "text", text: odd }] }),
        { type: "TITLE_CHANGED", payload: { title: odd } },
      ),
    ]),
    { replay: false, notices: true },
  );
  expect(updates.length).toBeGreaterThan(4);
  const line = JSON.stringify(updates);
  expect(line).not.toMatch(/\\u(?:d[89a-f]|0000)/i);
  expect(line).toContain("a\uFFFDb\uFFFDc");
});
