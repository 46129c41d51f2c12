import { expect, test } from "vitest";
import type { EventDraft, SessionEvent } from "../../src/events/session-event.ts";
import { ratedTurn } from "../../src/learning/rated-turn.ts";
import { TRACE_LIMITS, turnTrace } from "../../src/learning/turn-trace.ts";
import {
  applied,
  calls,
  eventsOf,
  gives,
  prompt,
  says,
  SESSION_ID,
  turn,
  TURN_ID,
} from "./support.ts";

const options = {
  sessionId: SESSION_ID,
  skillIds: ["testing-00001"],
  feedback: "well done",
  redact: (text: string) => text,
};
const traceOf = (events: readonly SessionEvent[], more = {}) =>
  turnTrace(ratedTurn(events), { ...options, ...more });

test("a trace tells prompt, steps, calls with results, answer and where it came from", () => {
  expect(traceOf(turn("testing-00001"))).toEqual({
    source_system: "session",
    trace_id: `${SESSION_ID}/${TURN_ID}`,
    question: "Repair the failing test.",
    answer: "The test passes now.",
    steps: [
      {
        step: 1,
        calls: [
          {
            tool: "bash",
            input: '{"command":"npm test"}',
            status: "failed, exit code 1",
            output: "1 failed",
          },
        ],
        says: "The test passes now.",
      },
    ],
    feedback: "well done",
    skill_ids: ["testing-00001"],
    evidence: { session_id: SESSION_ID, turn_id: TURN_ID, seqs: [1, 5] },
  });
});

test("a huge turn gives a bounded trace with its beginning and its end", () => {
  const steps = Array.from({ length: 100 }, (_item, index) => [
    calls(`c${index}`, { command: "x".repeat(20_000) }),
    gives(`c${index}`, `${index} ${"y".repeat(20_000)}`),
  ]);
  const events = eventsOf([
    prompt("p".repeat(100_000)),
    ...steps.flat(),
    says("s".repeat(100_000)),
  ]).map((event, index) => ({ ...event, step: Math.ceil(index / 2) }));
  const trace = traceOf(events);
  expect(JSON.stringify(trace).length).toBeLessThan(160_000);
  expect(trace.question.length).toBeLessThan(TRACE_LIMITS.text + 100);
  expect(trace.steps).toHaveLength(TRACE_LIMITS.steps + 1);
  expect(trace.steps[0]).toMatchObject({ step: 1 });
  expect(trace.steps[TRACE_LIMITS.steps / 2]).toMatch(/^\[\d+ steps left out\]$/);
});

test("a cut never saves a part of a secret", () => {
  const secret = `secret-${"z".repeat(400)}`;
  const redact = (text: string): string => text.replaceAll(secret, "[hidden]");
  for (let shift = 0; shift < 600; shift += 97) {
    const text = `${"a".repeat(800 + shift)}${secret}${"b".repeat(5_000)}`;
    const events = eventsOf([
      prompt(text),
      calls("c", { list: [text] }),
      gives("c", text),
      says(text),
    ]);
    expect(JSON.stringify(traceOf(events, { redact }))).not.toMatch(/secret|zz/);
  }
});

test("a step keeps all that was thought and said in it, and how the turn ended", () => {
  const thinks = (text: string): EventDraft => ({
    type: "ASSISTANT_MESSAGE",
    payload: { message_id: "m", kind: "reasoning", text, skill_ids: [] },
  });
  const events = eventsOf([
    prompt("Repair it."),
    thinks("First I look."),
    says("I look at the tests."),
    thinks("Then I repair."),
    says("I repair the cause."),
    { type: "AUTO_STOP", payload: { reason: "step_limit", limit: 1 } },
    { type: "BLOCKED", payload: { reason: "approval_rejected", detail: "npm publish" } },
    {
      type: "ERROR",
      payload: {
        code: "MODEL_FAILED",
        message: "The model is gone.",
        retryable: true,
        source: "model",
        attempt: 1,
      },
    },
  ]);
  expect(traceOf(events).steps).toEqual([
    {
      step: 1,
      calls: [],
      thought: "First I look.\nThen I repair.",
      says:
        "I look at the tests.\nI repair the cause.\n[the turn ended: step_limit]\n" +
        "[the turn ended: blocked, approval_rejected: npm publish]\n[failed: MODEL_FAILED: The model is gone.]",
    },
  ]);
});

test("a turn that holds no more than a prompt and what a command printed cannot be rated", () => {
  const notice: EventDraft = {
    type: "ASSISTANT_MESSAGE",
    payload: { message_id: "m", kind: "command", text: "Not trusted.", skill_ids: [] },
  };
  const empty = eventsOf([prompt("one"), applied("testing-00001"), notice], "turn-1");
  const code = "AGENT_FEEDBACK_INVALID";
  expect(() => ratedTurn(empty)).toThrow(expect.objectContaining({ code }));
  expect(() => ratedTurn(empty, "turn-1")).toThrow("holds nothing but its prompt");
  const before = eventsOf([prompt("zero"), says("done")], "turn-0");
  expect(ratedTurn([...before, ...empty]).turnId).toBe("turn-0");
  // Cancelled after something had happened in it.
  const called = eventsOf([calls("c", {}), gives("c", "", null)], "turn-1");
  expect(ratedTurn([...before, ...empty, ...called]).turnId).toBe("turn-1");
});

test("the last finished turn is rated, not one that was cut off", () => {
  const events = [
    ...eventsOf([prompt("one"), says("done")], "turn-1"),
    ...eventsOf([prompt("two"), calls("c", {})], "turn-2"),
  ];
  expect(ratedTurn(events).turnId).toBe("turn-1");
  expect(ratedTurn([...events, ...eventsOf([gives("c", "x")], "turn-2")]).turnId).toBe("turn-2");
});
