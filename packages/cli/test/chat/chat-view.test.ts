import type { EventDraft, SessionEvent, TransientUpdate } from "@acumen/agent";
import { expect, test } from "vitest";
import { ChatView } from "../../src/chat/chat-view.ts";
import { createTerminal } from "../../src/terminal/terminal.ts";

function screen() {
  let text = "";
  const stream = { isTTY: true, columns: 80, write: (chunk: string) => (text += chunk) };
  const view = new ChatView(createTerminal(stream, { color: false }), { erasable: false });
  view.beginTurn();
  return { view, text: () => text };
}

function delta(text: string, kind: "assistant" | "reasoning" = "assistant", id = kind) {
  return { type: "delta", turn_id: "t", message_id: id, kind, text } satisfies TransientUpdate;
}

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

function message(text: string, kind: "assistant" | "reasoning" | "command", id: string = kind) {
  return event({
    type: "ASSISTANT_MESSAGE",
    payload: { message_id: id, kind, text, skill_ids: [] },
  });
}

function call(id: string): SessionEvent {
  return event({
    type: "TOOL_CALL",
    payload: {
      call_id: id,
      tool: "bash",
      exposed_name: "bash",
      kind: "execute",
      title: `run ${id}`,
      input: {},
      locations: [],
      diff: [],
    },
  });
}

function result(id: string): SessionEvent {
  return event({
    type: "TOOL_RESULT",
    payload: {
      call_id: id,
      status: "completed",
      output: [],
      exit_code: 0,
      duration_ms: 100,
      truncated: false,
      diff: [],
    },
  });
}

test("text appears as it comes, once, and ends its line before anything else", () => {
  const { view, text } = screen();
  view.update(delta("Hel"));
  expect(text()).toBe("Hel");
  view.update(delta("lo\nyou"));
  view.event(message("Hello\nyou", "assistant"));
  view.event(call("a"));
  expect(text()).toBe("Hello\nyou\n> bash run a\n");
});

test("a message that was not streamed is shown whole", () => {
  const { view, text } = screen();
  view.event(message("One.\nTwo.\n", "assistant"));
  view.event(message("Local.", "command"));
  expect(text()).toBe("One.\nTwo.\nLocal.\n");
});

test("half a character waits for its other half, and a control sequence never comes out", () => {
  const { view, text } = screen();
  const [high = "", low = ""] = "😀".split("");
  view.update(delta(`a${high}`));
  view.update(delta(`${low}b\u001B`));
  view.update(delta("[2Jc\r"));
  expect(text()).toBe("a😀b[2Jc");
});

test("a long thought is cut while it comes", () => {
  const { view, text } = screen();
  for (let index = 0; index < 100; index += 1) view.update(delta("hm, well\n", "reasoning"));
  view.event(message("hm, well\n".repeat(100), "reasoning"));
  view.update(delta("So."));
  expect(text()).toMatch(/^thinking: hm, well hm, [^\n]{130,150} …\nSo\.$/);
});

test("results of calls that run side by side name their call", () => {
  const { view, text } = screen();
  view.event(call("a"));
  view.event(call("b"));
  view.event(result("b"));
  view.event(result("a"));
  expect(text()).toBe("> bash run a\n> bash run b\n  ok, 0.1 s\n  ok (run a), 0.1 s\n");
});

test("nothing is drawn into a question; it comes in its order afterwards", () => {
  const { view, text } = screen();
  view.event(call("a"));
  view.hold({ callId: "a" });
  view.event(call("b"));
  view.event(result("b"));
  view.update(delta("Meanwhile."));
  expect(text()).toBe("> bash run a\n");
  view.release();
  expect(text()).toBe("> bash run a\n> bash run b\n  ok, 0.1 s\nMeanwhile.");
});

test("a retry of the model is said in one line, however long its reason is", () => {
  const { view, text } = screen();
  view.update({
    type: "model_retry",
    turn_id: "t",
    attempt: 1,
    delay_ms: 2_000,
    message: `it is\nbusy ${"and away ".repeat(40)}`,
  });
  expect(text()).toMatch(
    /^ {2}Trying again in 2\.0 s \(attempt 2\): it is busy and away [^\n]*…\n$/,
  );
  expect(text().trimEnd().length).toBeLessThanOrEqual(80);
});

test("a thought is cut between characters, and one that two pieces share is shown whole", () => {
  const { view, text } = screen();
  view.update(delta("Hm \ud83d", "reasoning"));
  view.update(delta(`\ude00${"x".repeat(160 - 15)}\u{1F600} more`, "reasoning"));
  view.endTurn();
  expect(text()).toContain("thinking: Hm \u{1F600}xxx");
  expect(text()).not.toMatch(/\p{Cs}/u);
});
