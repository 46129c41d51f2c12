import { FakeClock } from "@acumen/testkit";
import { expect, it, test } from "vitest";
import type { Principal } from "../../src/access/principal.ts";
import { RequestLimits } from "../../src/http/request-limits.ts";
import { SERVER_LIMITS } from "../../src/http/server-limits.ts";
import { MAX_WAIT_MS } from "../../src/operations/common-params.ts";
import { HttpBench } from "../support/http-bench.ts";

const PRINCIPAL: Principal = { owner: "local", tokenId: "one", scopes: [] };
const SIBLING: Principal = { ...PRINCIPAL, tokenId: "two" };

/** What docs/facade.md promises; the tests beside show with small numbers that each limit is one. */
test.each([
  ["heartbeats come every 15 s", SERVER_LIMITS.heartbeatMs, 15_000],
  ["a stream lasts 15 minutes", SERVER_LIMITS.streamMs, 900_000],
  ["a reader may stall for 30 s", SERVER_LIMITS.stallMs, 30_000],
  ["requests may finish for 5 s at the end", SERVER_LIMITS.drainMs, 5_000],
  ["a call that waits is answered after 30 s", MAX_WAIT_MS, 30_000],
])("%s", (_what, actual, expected) => {
  expect(actual).toBe(expected);
});

function takenUntilRefused(take: () => unknown): number {
  for (let count = 0; ; count += 1) {
    try {
      take();
    } catch (error) {
      expect(error).toMatchObject({ code: "FACADE_RATE_LIMITED" });
      return count;
    }
  }
}

type Take = (limits: RequestLimits, principal: Principal) => unknown;
test.each<[string, number, Take]>([
  ["256 requests at once", 256, (limits, principal) => limits.beginRequest(principal)],
  ["64 event streams", 64, (limits, principal) => limits.beginStream(principal)],
  ["400 changes in a burst", 400, (limits, principal) => limits.takeMutation(principal)],
])("one token may have %s, and another one of its owner as many", (_what, expected, take) => {
  const limits = new RequestLimits(SERVER_LIMITS, new FakeClock());
  expect(takenUntilRefused(() => take(limits, PRINCIPAL))).toBe(expected);
  expect(takenUntilRefused(() => take(limits, SIBLING))).toBe(expected);
});

test("200 changes a second may follow", () => {
  const clock = new FakeClock();
  const limits = new RequestLimits(SERVER_LIMITS, clock);
  const taken = (): number => takenUntilRefused(() => limits.takeMutation(PRINCIPAL));
  taken();
  clock.advance(1_000);
  expect(taken()).toBe(200);
  clock.advance(60_000);
  expect(taken()).toBe(400);
});

it("a body may have 1 MiB, and no byte more", async () => {
  await using bench = await HttpBench.start();
  const padded = (bytes: number): string => {
    const body = JSON.stringify({ operation: "system.describe", auth: { pad: "" } });
    return body.replace('""', `"${"x".repeat(bytes - Buffer.byteLength(body))}"`);
  };
  expect((await bench.send(padded(1_048_576))).status).toBe(200);
  expect((await bench.send(padded(1_048_577))).status).toBe(413);
});
