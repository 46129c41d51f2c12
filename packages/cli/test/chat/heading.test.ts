import type { CodingSession, EventPayload, SessionEvent, TurnResult } from "@acumen/agent";
import { NO_USAGE } from "@acumen/models";
import pc from "picocolors";
import { expect, test } from "vitest";
import { turnEndLines } from "../../src/chat/heading.ts";
import { TurnRecord } from "../../src/run/turn-record.ts";

const LOOK = { colours: pc.createColors(false), width: 80 };
const RESULT: TurnResult = { stopReason: "end_turn", usage: NO_USAGE, turnId: "t", text: "" };

function endOf(
  result: Partial<TurnResult>,
  { quiet = false, skills = [] }: { quiet?: boolean; skills?: string[] } = {},
): string[] {
  const usage: EventPayload<"USAGE"> = {
    input_tokens: 1_000,
    cached_input_tokens: 800,
    output_tokens: 50,
    context_tokens: 1_050,
    context_window: 10_000,
    cost: 0.0123,
  };
  const record = new TurnRecord();
  record.event({ type: "USAGE", payload: usage } as SessionEvent);
  const applied = { type: "SKILLS_APPLIED", turn_id: "t", payload: { skill_ids: skills } };
  const session = {
    events: [applied],
    status: () => ({ cost: 0.5, contextTokens: 1_050, contextWindow: 10_000 }),
  } as unknown as CodingSession;
  return turnEndLines(
    { ...RESULT, ...result },
    { record, session, milliseconds: 3_210, quiet, terminal: LOOK },
  );
}

test("a turn ends with what it used and cost, and what the session cost", () => {
  expect(endOf({})).toEqual([
    "  1000 (800 cached) + 50 tokens, $0.0123, 3.2 s, session $0.5000, context 11 %",
    "",
  ]);
});

test("how to rate it is said when skills were applied", () => {
  expect(endOf({}, { skills: ["a", "b"] })[1]).toBe(
    "  2 skills applied; /feedback good|bad [TEXT] rates the turn.",
  );
});

test("why it ended is said also in quiet", () => {
  expect(endOf({ stopReason: "cancelled" }, { quiet: true })).toEqual([
    "  Cancelled. Ctrl-C again leaves.",
  ]);
  expect(endOf({ stopReason: "refusal" }, { quiet: true })).toEqual([
    "  The model refused to go on.",
  ]);
  expect(endOf({ stopReason: "max_tokens" }, { quiet: true })).toHaveLength(1);
  // The event says it already.
  const autoStop = { reason: "token_budget", limit: 10 } as const;
  expect(endOf({ stopReason: "max_tokens", autoStop }, { quiet: true })).toEqual([]);
});
