import { sourceCommand, startProcess } from "@acumen/testkit";
import { expect, test } from "vitest";
import { allEnded, isAlive } from "../../tools/bash/fixture.ts";

const HOST = new URL("transport-host.ts", import.meta.url);
/** A launcher, its child, and a child that hears no TERM. */
const SERVER = `echo pid $$ >&2; sh -c 'echo pid $$ >&2; exec sleep 300' & sh -c 'trap "" TERM; echo pid $$ >&2; while :; do sleep 1; done' & wait`;

test.concurrent.each([
  ["SIGKILL", "NAME"],
  ["SIGINT", "NAME"],
  // Such a variable does not survive the shell that announces a group: it is announced afterwards.
  ["exit", "NOT-FOR-SHELLS"],
] as const)(
  "a server and its children end with the process that started it: %s",
  async (how, variable) => {
    await using host = startProcess(sourceCommand(HOST, [SERVER, variable]));
    await host.waitFor("stdout", /(?:pid \d+\n[^]*){3}/, 50_000);
    const pids = [...host.stdout().matchAll(/pid (\d+)\n/g)].map(([, pid]) => Number(pid));
    expect(pids).toHaveLength(3);
    expect(await Promise.all(pids.map(isAlive))).toEqual([true, true, true]);
    if (how === "exit") host.child.stdin.end();
    else host.kill(how);
    await host.exited;
    const begin = performance.now();
    await allEnded(pids);
    expect(performance.now() - begin).toBeLessThan(4000);
    expect(host.stderr()).toBe("");
  },
);
