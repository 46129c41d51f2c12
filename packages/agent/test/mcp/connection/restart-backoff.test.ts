import { FakeClock } from "@acumen/testkit";
import { expect, test } from "vitest";
import { RestartBackoff } from "../../../src/mcp/connection/restart-backoff.ts";

function delays(backoff: RestartBackoff, count: number): (number | undefined)[] {
  return Array.from({ length: count }, () => backoff.next()?.delayMs);
}

test("waits 0.5, 1, 2, 4 and 8 s, and gives up then", () => {
  const backoff = new RestartBackoff(new FakeClock());
  expect(backoff.next()).toEqual({ delayMs: 500, attempt: 1, attempts: 5 });
  expect(delays(backoff, 6)).toEqual([1_000, 2_000, 4_000, 8_000, undefined, undefined]);
});

test("restarts of five minutes count, older ones do not", () => {
  const clock = new FakeClock();
  const backoff = new RestartBackoff(clock);
  expect(delays(backoff, 3)).toEqual([500, 1_000, 2_000]);
  clock.advance(200_000);
  expect(delays(backoff, 3)).toEqual([4_000, 8_000, undefined]);
  clock.advance(99_999);
  expect(backoff.next()).toBeUndefined();
  clock.advance(1);
  expect(delays(backoff, 4)).toEqual([2_000, 4_000, 8_000, undefined]);
});

test("begins anew after a minute of health, and not before", () => {
  const clock = new FakeClock();
  const backoff = new RestartBackoff(clock);
  expect(delays(backoff, 2)).toEqual([500, 1_000]);
  backoff.connected();
  clock.advance(59_999);
  expect(backoff.next()?.delayMs).toBe(2_000);
  backoff.connected();
  clock.advance(60_000);
  expect(backoff.next()?.delayMs).toBe(500);
});

test("begins anew when somebody asks for it", () => {
  const backoff = new RestartBackoff(new FakeClock());
  delays(backoff, 6);
  backoff.reset();
  expect(backoff.next()).toEqual({ delayMs: 500, attempt: 1, attempts: 5 });
});
