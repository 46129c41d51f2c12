import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { StatusLine } from "../../src/chat/status-line.ts";
import { createTerminal } from "../../src/terminal/terminal.ts";

beforeEach(
  () => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] }),
);
afterEach(() => void vi.useRealTimers());

function line(erasable: boolean) {
  let text = "";
  const stream = { isTTY: true, columns: 80, write: (chunk: string) => (text += chunk) };
  const status = new StatusLine({ terminal: createTerminal(stream, { color: false }), erasable });
  return { status, text: () => text };
}

test("appears after a second of silence, tells the time, and is gone before anything else", () => {
  const { status, text } = line(true);
  status.begin("npm test");
  vi.advanceTimersByTime(900);
  expect(text()).toBe("");
  vi.advanceTimersByTime(1_100);
  expect(text()).toContain("  2.0 s, npm test");
  status.say(`12 of 30 ${"x".repeat(200)}`);
  vi.advanceTimersByTime(1_000);
  const last = text().split("\r\u001B[K").at(-1) ?? "";
  expect(last).toContain("3.0 s, 12 of 30");
  expect(last.length).toBeLessThan(80);
  status.end();
  expect(text().endsWith("\r\u001B[K")).toBe(true);
  const before = text();
  vi.advanceTimersByTime(5_000);
  expect(text()).toBe(before);
});

test("needs a terminal that can erase a line", () => {
  const { status, text } = line(false);
  status.begin("npm test");
  vi.advanceTimersByTime(5_000);
  status.end();
  expect(text()).toBe("");
});
