import { expect, test, vi } from "vitest";
import type { StdioDefinition } from "../../../src/mcp/config/server-definition.ts";
import type { OpenedTransport } from "../../../src/mcp/transports/opened-transport.ts";
import { allEnded, eventually, isAlive } from "../../tools/bash/fixture.ts";
import { type Bench, bench, scripted, started, stdio } from "./support.ts";

/** The contract's two seconds, on a machine that is busy with other things. */
const LIMIT_MS = 4000;

/** Starts a server of a shell script that writes `pid N` to stderr for each of its processes. */
async function withPids(
  b: Bench,
  definition: StdioDefinition,
  count: number,
): Promise<{ opened: OpenedTransport; pids: number[] }> {
  const opened = await b.open(definition);
  await started(opened);
  const pids = (): number[] =>
    [...opened.stderrTail().matchAll(/pid (\d+)\n/g)].map(([, pid]) => Number(pid));
  await eventually(() => pids().length === count);
  expect(await Promise.all(pids().map(isAlive))).toEqual(Array(count).fill(true));
  return { opened, pids: pids() };
}

async function closedInTime(opened: OpenedTransport): Promise<number> {
  const begin = performance.now();
  await Promise.all([opened.close(), opened.transport.close(), opened.ended]);
  const took = performance.now() - begin;
  expect(took).toBeLessThan(LIMIT_MS);
  return took;
}

const shell = (script: string): StdioDefinition => stdio("sh", ["-c", script]);

test.concurrent.each([
  ["reads its input to the end", `echo pid $$ >&2; cat`, 1, 0],
  [
    "ends and leaves a child that holds the pipes",
    `echo pid $$ >&2; sh -c 'echo pid $$ >&2; exec sleep 300' & cat`,
    2,
    0,
  ],
  [
    "is a launcher that waits for a child, neither of which reads",
    `echo pid $$ >&2; sh -c 'echo pid $$ >&2; exec sleep 300' & wait`,
    2,
    undefined,
  ],
  [
    "has a child that ignores TERM",
    `echo pid $$ >&2; sh -c 'trap "" TERM; echo pid $$ >&2; while :; do sleep 1; done' & cat`,
    2,
    0,
  ],
  ["ignores TERM itself", `trap "" TERM; echo pid $$ >&2; while :; do sleep 1; done`, 1, undefined],
  [
    "has a child that left the group",
    `echo pid $$ >&2; (setsid sh -c 'echo pid $$ >&2; exec sleep 300' &) ; cat`,
    2,
    0,
  ],
  [
    "has a child that left the group and ignores TERM",
    `echo pid $$ >&2; (setsid sh -c 'trap "" TERM; echo pid $$ >&2; while :; do sleep 1; done' &) ; cat`,
    2,
    0,
  ],
])("nothing is left of a server that %s", async (_what, script, count, exitCode) => {
  await using b = await bench();
  const { opened, pids } = await withPids(b, shell(script), count);
  await closedInTime(opened);
  await allEnded(pids);
  const end = await opened.ended;
  expect(end.kind).toBe("closed");
  if (exitCode !== undefined) expect(end).toMatchObject({ exitCode });
});

test("nothing is left of a server that is stopped", async () => {
  await using b = await bench();
  const { opened, pids } = await withPids(b, shell(`echo pid $$ >&2; exec sleep 300`), 1);
  for (const pid of pids) process.kill(pid, "SIGSTOP");
  await closedInTime(opened);
  await allEnded(pids);
  // It was woken up, and could hear that it should end.
  expect(await opened.ended).toEqual({ kind: "closed", exitCode: null, signal: "SIGTERM" });
});

test("a server that ends by itself is followed by what it left behind, without being closed", async () => {
  await using b = await bench();
  const opened = await b.open(
    shell(
      `sh -c 'echo pid $$ >&2; exec sleep 300' & (setsid sh -c 'echo pid $$ >&2; exec sleep 300' &); read -r line; exit 4`,
    ),
  );
  await started(opened);
  const pids = (): number[] =>
    [...opened.stderrTail().matchAll(/pid (\d+)\n/g)].map(([, pid]) => Number(pid));
  await eventually(() => pids().length === 2);
  const begin = performance.now();
  await opened.transport.send({ jsonrpc: "2.0", method: "end" });
  // Its child holds the pipes: the end does not wait for them.
  expect(await opened.ended).toEqual({ kind: "exited", exitCode: 4, signal: null });
  expect(performance.now() - begin).toBeLessThan(LIMIT_MS);
  await allEnded(pids());
});

test("last words while it is closed still arrive", async () => {
  await using b = await bench();
  const opened = await b.open(
    scripted(
      `process.stdin.on("end", () => { process.stderr.write("bye"); send({ method: "bye" }); }); process.stdin.resume(); send({ method: "hello" });`,
    ),
  );
  const heard = await started(opened);
  await vi.waitFor(() => expect(heard.messages).toHaveLength(1));
  await opened.close();
  expect(heard.messages.at(-1)).toEqual({ jsonrpc: "2.0", method: "bye" });
  expect(opened.stderrTail()).toBe("bye");
  expect(heard.closed()).toBe(1);
});
