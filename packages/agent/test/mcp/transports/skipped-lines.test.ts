import { expect, test } from "vitest";
import { SkippedLines } from "../../../src/mcp/transports/skipped-lines.ts";
import { createRedactor } from "../../../src/redaction/redactor.ts";

const SECRET = "s3cr3t-of-the-definition";
const HALF = SECRET.slice(0, 5);

test("the last lines are kept, each with its beginning, 2 KiB in all", () => {
  const lines = new SkippedLines(createRedactor());
  lines.add("a banner");
  expect(lines.text()).toBe("a banner\n");
  for (let number = 0; number < 100; number += 1) lines.add(`line ${number} ${"x".repeat(600)}`);
  const shown = lines.text();
  expect(shown.length).toBe(2048);
  expect(shown.split("\n").at(-2)).toBe(`line 99 ${"x".repeat(492)}`);
});

test("a secret where a line is cut is hidden", () => {
  for (let at = 0; at <= SECRET.length; at += 1) {
    const lines = new SkippedLines(createRedactor([SECRET]));
    lines.add(`${"x".repeat(500 - at)}${SECRET}${"y".repeat(9000)}`);
    lines.add(`${SECRET.repeat(340)}${"x".repeat(at)}${SECRET.repeat(50)}`);
    expect(lines.text().replaceAll("[hidden]", "")).not.toContain(HALF);
  }
});
