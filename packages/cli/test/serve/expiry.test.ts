import { expect, test } from "vitest";
import { expiryOf } from "../../src/serve/expiry.ts";

const NOW = new Date("2026-12-01T00:00:00.000Z");

test.each([
  ["90d", "2027-03-01T00:00:00.000Z"],
  ["12h", "2026-12-01T12:00:00.000Z"],
  ["30m", "2026-12-01T00:30:00.000Z"],
  ["2027-01-31", "2027-01-31T00:00:00.000Z"],
  ["2027-01-31T08:00:00Z", "2027-01-31T08:00:00.000Z"],
])("%s is %s", (text, end) => {
  expect(expiryOf(text, NOW).toISOString()).toBe(end);
});

test.each(["", "90", "d", "0d", "-1d", "2026-11-30", "tomorrow", "1.5d", "9999999d", "2027-13-01"])(
  "%j is no time to come",
  (text) => {
    expect(() => expiryOf(text, NOW)).toThrow(/no time to come/);
  },
);
