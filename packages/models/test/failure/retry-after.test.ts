import { describe, expect, test } from "vitest";
import { retryAfterMs } from "../../src/failure/retry-after.ts";

const NOW = Date.parse("2026-11-30T12:00:00Z");
const at = (headers: Record<string, string>, body?: unknown, message = ""): number | undefined =>
  retryAfterMs(headers, body, message, NOW);

describe("how long a service asks to wait", () => {
  test.each([
    [{ "retry-after": "3" }, 3_000],
    [{ "retry-after": " 0 " }, 0],
    [{ "retry-after": "1.5" }, 1_500],
    [{ "retry-after-ms": "250", "retry-after": "1" }, 250],
    [{ "retry-after": "Mon, 30 Nov 2026 12:00:20 GMT" }, 20_000],
    [{ "retry-after": "Mon, 30 Nov 2026 11:00:00 GMT" }, 0],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after": "-5" }, undefined],
    [{ "retry-after": "" }, undefined],
    [{}, undefined],
  ])("headers %j", (headers, expected) => {
    expect(at(headers)).toBe(expected);
  });

  test("Google's body", () => {
    const details = [{ "@type": "x" }, { retryDelay: "12.5s" }];
    expect(at({}, { error: { details } })).toBe(12_500);
    expect(at({}, { error: { details: "none" } })).toBeUndefined();
  });

  test.each([
    ["Please try again in 1.2s.", 1_200],
    ["Please try again in 20ms.", 20],
    ["Please retry in 7s", 7_000],
    ["Please try again later.", undefined],
  ])("the words %j", (message, expected) => {
    expect(at({}, undefined, message)).toBe(expected);
  });
});
