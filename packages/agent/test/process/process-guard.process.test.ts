import { readdir, readFile } from "node:fs/promises";
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

test("also when it is killed as soon as there is a command", async () => {
  for (let round = 0; round < 5; round += 1) {
    const mark = `${process.pid}.${round}`;
    await using agent = startProcess(
      sourceCommand(new URL("guarded-child.ts", import.meta.url), [`: ${mark}; sleep 300; :`]),
    );
    // The command's own shell has the mark in its words; so has the process that is killed, and that one goes.
    let commands: number[] = [];
    while (commands.length === 0) {
      commands = (await pidsNaming(mark)).filter((pid) => pid !== agent.pid);
      await new Promise(setImmediate);
    }
    agent.kill("SIGKILL");
    await allEnded(commands);
    expect((await pidsNaming(mark)).filter((pid) => pid !== agent.pid)).toEqual([]);
  }
});

/** Processes of a shell with the text in their words. */
async function pidsNaming(mark: string): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const named = await Promise.all(
    pids.map(async (pid) => {
      const words = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
      return /^(?:\/bin\/)?(?:ba)?sh\0/.test(words) && words.includes(mark) ? [Number(pid)] : [];
    }),
  );
  return named.flat();
}
