import type { EventDraft, SessionEvent } from "@acumen/agent";
import { expect, test } from "vitest";
import { RunView } from "../../src/run/run-view.ts";
import { createTerminal } from "../../src/terminal/terminal.ts";

interface Watched {
  readonly view: RunView;
  /** Both streams as a terminal that shows both would. */
  readonly shown: () => string;
  readonly stdout: () => string;
}

function watched(isTTY: boolean): Watched {
  let shown = "";
  let stdout = "";
  const out = {
    isTTY,
    write: (text: string) => {
      stdout += text;
      shown += text;
    },
  };
  const terminal = createTerminal({ write: (text) => (shown += text) }, { color: false });
  return {
    view: new RunView({ stdout: out, terminal }),
    shown: () => shown,
    stdout: () => stdout,
  };
}

function event(draft: EventDraft): SessionEvent {
  const head = { seq: 1, event_id: "e", session_id: "s", turn_id: "t", step: 1 };
  return { ...head, timestamp: "2026-01-01T00:00:00.000Z", ...draft } as SessionEvent;
}

function message(id: string, text: string): SessionEvent {
  return event({
    type: "ASSISTANT_MESSAGE",
    payload: { message_id: id, kind: "assistant", text, skill_ids: [] },
  });
}

function call(title: string): SessionEvent {
  return event({
    type: "TOOL_CALL",
    payload: {
      call_id: "c",
      tool: "bash",
      exposed_name: "bash",
      kind: "execute",
      title,
      input: {},
      locations: [],
      diff: [],
    },
  });
}

function delta(id: string, text: string, kind: "assistant" | "reasoning" = "assistant") {
  return { type: "delta", turn_id: "t", message_id: id, kind, text } as const;
}

test("a pipe gets the last message alone; what was said on the way is progress", () => {
  const { view, shown, stdout } = watched(false);
  view.update(delta("1", "On the way."));
  view.event(message("1", "On the way."));
  view.event(call("npm test"));
  view.event(message("2", "The end."));
  view.finish("The end.");
  expect(stdout()).toBe("The end.\n");
  expect(shown()).toBe("On the way.\n> bash npm test\nThe end.\n");
});

test("a pipe gets the text exactly as it is, and no line for no text", () => {
  const exact = watched(false);
  exact.view.finish("a\u200Cb\n");
  expect(exact.stdout()).toBe("a\u200Cb\n");
  const none = watched(false);
  none.view.finish("");
  expect(none.stdout()).toBe("");
});

test("a terminal gets pieces as they come, each message on lines of its own, thoughts not at all", () => {
  const { view, shown } = watched(true);
  view.update(delta("0", "hm", "reasoning"));
  view.update(delta("1", "On the "));
  view.update(delta("1", "way\u001B[2J."));
  view.event(message("1", "On the way\u001B[2J."));
  view.event(call("npm test\u001B[2J\nrm"));
  view.update(delta("2", "The end."));
  view.event(message("2", "The end."));
  view.finish("The end.");
  expect(shown()).toBe("On the way[2J.\n> bash npm test[2J rm\nThe end.\n");
});

test("a message that came in no pieces is shown whole", () => {
  const { view, shown } = watched(true);
  view.event(message("1", "At once."));
  view.finish("At once.");
  expect(shown()).toBe("At once.\n");
});

test("progress never stands behind an unfinished line", () => {
  const { view, shown } = watched(true);
  view.update(delta("1", "Half a li"));
  view.update({
    type: "model_retry",
    turn_id: "t",
    attempt: 1,
    delay_ms: 1500,
    message: `overloaded ${"and away ".repeat(40)}`,
  });
  expect(shown()).toMatch(
    /^Half a li\n {2}Trying again in 1\.5 s \(attempt 2\): overloaded (?:and away )+[^\n]*…\n$/,
  );
});

test("a character that two pieces share is shown whole, and half of one never", () => {
  const { view, stdout } = watched(true);
  const delta = (text: string, id = "a") =>
    view.update({ type: "delta", turn_id: "t", message_id: id, kind: "assistant", text });
  delta("one \ud83d");
  delta("\ude00 two\ud83d");
  delta("three", "b");
  view.finish("");
  expect(stdout()).toBe("one \u{1F600} two\nthree\n");
});
