import { FakeClock } from "@acumen/testkit";
import { expect, test } from "vitest";
import { LiveOutput } from "../../src/mapping/live-output.ts";

test("shows all output so far, at most five times a second and for each call alone", () => {
  const clock = new FakeClock();
  const output = new LiveOutput(undefined, clock);
  expect(output.add("c1", "one ")).toBe("one ");
  expect(output.add("c1", "two ")).toBeUndefined();
  expect(output.add("c2", "other")).toBe("other");
  clock.advance(199);
  expect(output.add("c1", "three ")).toBeUndefined();
  clock.advance(1);
  expect(output.add("c1", "four")).toBe("one two three four");
});

test("keeps the last 8,000 characters, without half of one", () => {
  const output = new LiveOutput(undefined, new FakeClock());
  const shown = output.add("c1", `${"x".repeat(9_000)}\u{1F600}${"y".repeat(7_999)}`);
  expect(shown).toBe(`…${"y".repeat(7_999)}`);
});

test("a flood costs a bounded number of updates", () => {
  const clock = new FakeClock();
  const output = new LiveOutput(undefined, clock);
  let shown = 0;
  for (let piece = 0; piece < 10_000; piece += 1) {
    if (output.add("c1", "x") !== undefined) shown += 1;
    clock.advance(1);
  }
  expect(shown).toBe(50);
});

test("nothing is shown of a call that has ended, and a new one begins with nothing", async () => {
  const late: string[] = [];
  const output = new LiveOutput(() =>
    late.push(...output.takeDue().map(({ callId, text }) => `${callId} ${text}`)),
  );
  for (const callId of ["c1", "c2"]) {
    output.add(callId, "a");
    expect(output.add(callId, "b")).toBeUndefined();
  }
  output.end("c1");
  await expect.poll(() => late).toEqual(["c2 ab"]);
  expect(output.add("c1", "new")).toBe("new");
});
