import { mkdir } from "node:fs/promises";
import { sourceCommand, tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { silentProgress } from "../../../src/terminal/progress.ts";
import { createTerminal } from "../../../src/terminal/terminal.ts";
import { hostFailures } from "../../../src/tour/host/host-result.ts";
import { driveFromAnEditor } from "../../../src/tour/host/host-stage.ts";

const BIN = new URL("../../../src/bin.ts", import.meta.url);

test("an editor sees a prompt, a question with a diff, a cancel, and all of it again in a new process", async () => {
  await using folder = await tempFolder();
  await mkdir(folder.path, { recursive: true });
  let shown = "";
  const result = await driveFromAnEditor({
    dataset: { learn: [], heldOut: [], queues: [] },
    command: { command: "false", args: [] },
    acumenCommand: sourceCommand(BIN, []),
    variables: { PATH: process.env["PATH"] },
    terminal: createTerminal({ write: (part) => (shown += part) }, { color: false }),
    startProgress: silentProgress,
    root: folder.path,
  });
  expect(hostFailures(result)).toEqual([]);
  for (const line of [
    "tool_call                  pending: ",
    "+  return hours >= 5 ? 0 : 2;",
    "The tour answers as the editor",
    "tool_call_update           completed",
    "The prompt is answered: cancelled.",
    "user_message_chunk         Compare lockers.mjs",
  ]) {
    expect(shown).toContain(line);
  }
  for (const line of shown.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
});
