import { type StopReason, STOP_REASONS, type TurnResult } from "@acumen/agent";
import { expect, test } from "vitest";
import { turnExitCode } from "../../src/run/turn-exit-code.ts";

type Block = NonNullable<TurnResult["blocked"]>["reason"];

function code(stopReason: StopReason, reason?: Block): number {
  return turnExitCode({
    stopReason,
    ...(reason !== undefined && { blocked: { reason, detail: "" } }),
  });
}

test("every stop reason has its exit code", () => {
  expect(Object.fromEntries(STOP_REASONS.map((reason) => [reason, code(reason)]))).toEqual({
    end_turn: 0,
    max_tokens: 4,
    max_turn_requests: 4,
    refusal: 3,
    cancelled: 1,
  });
});

test("a block counts more than the stop reason, and a full context is a limit", () => {
  expect(code("end_turn", "approval_rejected")).toBe(3);
  expect(code("end_turn", "question")).toBe(3);
  expect(code("end_turn", "missing_tool")).toBe(3);
  expect(code("max_tokens", "context_full")).toBe(4);
  expect(code("end_turn", "no_credentials")).toBe(2);
});
