import { expect, test } from "vitest";
import { progressOn, silentProgress } from "../../src/terminal/progress.ts";
import { createTerminal } from "../../src/terminal/terminal.ts";

test("prints the start and each quarter when piped, never backwards", async () => {
  let text = "";
  const terminal = createTerminal({ write: (part) => (text += part) }, { color: false });
  const progress = await progressOn(terminal)("learning", 8);
  for (const done of [1, 2, 3, 2, 5, 8, 8]) progress.update(done);
  progress.stop();
  expect(text).toBe("  learning: 0/8\n  learning: 2/8\n  learning: 5/8\n  learning: 8/8\n");
});

test("shows nothing when it is silent", async () => {
  const progress = await silentProgress("learning", 2);
  progress.update(1);
  progress.stop();
});
