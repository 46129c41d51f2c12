import { sourceCommand } from "@acumen/testkit";
import { expect, test } from "vitest";
import { silentProgress } from "../../src/terminal/progress.ts";
import { createTerminal } from "../../src/terminal/terminal.ts";
import { loadDataset } from "../../src/tour/dataset.ts";
import { withShuffledQueues } from "../../src/tour/shuffled-labels.ts";
import { runFirstAct } from "../../src/tour/tour.ts";
import { failuresOf } from "../../src/tour/tour-result.ts";
import { exampleResult } from "./example-result.ts";

test("the first act fails when what it is taught has no pattern, and still loses nothing", async () => {
  const { learn, heldOut, queues } = await loadDataset();
  const few = withShuffledQueues(learn).slice(0, 50);
  const result = await runFirstAct({
    dataset: { learn: few, heldOut: heldOut.slice(0, 21), queues },
    command: sourceCommand(new URL("../../../ace/src/integrations/mcp/bin.ts", import.meta.url)),
    acumenCommand: { command: "false", args: [] },
    variables: {},
    terminal: createTerminal({ write: () => true }, { color: false }),
    startProgress: silentProgress,
  });
  expect(failuresOf({ ...exampleResult(), ...result })).toEqual([
    expect.stringContaining("the gain over the majority class"),
    expect.stringContaining("shuffled labels come within"),
  ]);
  const { learning, restart } = result;
  expect(learning.lessons).toMatchObject({ samples: 22, failed: 0, whileWorking: { total: 28 } });
  expect(restart.keptSkills).toBe(learning.savedSkills);
  expect(learning.savedSkills).toBeGreaterThan(0);
}, 60_000);
