import { sourceCommand, startProcess } from "@acumen/testkit";
import { expect, test } from "vitest";
import { allEnded, isAlive } from "../tools/bash/fixture.ts";

test("a command and its children end when the process that started it is killed without a chance", async () => {
  await using agent = startProcess(
    sourceCommand(new URL("guarded-child.ts", import.meta.url), [
      `sh -c 'trap "" TERM; echo grandchild $$; sleep 300' & echo child $$; wait`,
    ]),
  );
  await agent.waitFor("stdout", /child \d+\n[^]*child \d+\n/);
  const pids = [...agent.stdout().matchAll(/child (\d+)/g)].map(([, pid]) => Number(pid));
  expect(pids).toHaveLength(2);
  expect(await Promise.all(pids.map(isAlive))).toEqual([true, true]);
  agent.kill("SIGKILL");
  await allEnded(pids);
});
