import { PassThrough } from "node:stream";
import { FakeClock } from "@acumen/testkit";
import { expect, test } from "vitest";
import { progressOn, silentProgress } from "../../src/terminal/progress.ts";
import { createTerminal } from "../../src/terminal/terminal.ts";

test("prints the start and then at most a line a second when piped, never backwards", async () => {
  let text = "";
  const clock = new FakeClock();
  const terminal = createTerminal({ write: (part) => (text += part) }, { color: false });
  const progress = await progressOn(terminal, clock)("learning", 8);
  for (const done of [1, 2, 3, 2, 5, 8, 8]) {
    clock.advance(400);
    progress.update(done);
  }
  progress.stop();
  expect(text).toBe("  learning: 0/8\n  learning: 3/8\n  learning: 8/8\n");
});

test("is one bar on a TTY, cleared when it is done", async () => {
  let text = "";
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  stream.setEncoding("utf8").on("data", (part: string) => (text += part));
  const terminal = createTerminal(stream, { color: false });
  const progress = await progressOn(terminal)("learning", 8);
  progress.update(4);
  progress.stop();
  await new Promise((resolve) => stream.end(resolve));
  const bars = text.match(/ {2}learning +[#.]{24} \d\/8/g);
  expect(bars?.at(0)).toContain(`${".".repeat(24)} 0/8`);
  expect(bars?.at(-1)).toContain(`${"#".repeat(12)}${".".repeat(12)} 4/8`);
  expect(text).not.toContain("\n");
  // Back to the first column, line cleared.
  expect(text.endsWith("\u001B[1G\u001B[2K")).toBe(true);
});

test("shows nothing when it is silent", async () => {
  const progress = await silentProgress("learning", 2);
  progress.update(1);
  progress.stop();
});
