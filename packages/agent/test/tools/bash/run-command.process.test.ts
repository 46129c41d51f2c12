import { mkdir, readdir, readFile, rm, symlink } from "node:fs/promises";
import { expect, test } from "vitest";
import {
  allEnded,
  type Bench,
  bashBench,
  eventually,
  isAlive,
  previewOf,
  runContext,
} from "./fixture.ts";

test("runs a command in the working directory and gives its output with both streams in order", async () => {
  await using bench = await bashBench();
  const outcome = await bench.run({ command: "pwd; echo one; echo two >&2; echo three" });
  expect(outcome).toMatchObject({ status: "completed", exitCode: 0, truncated: false });
  expect(outcome.text).toBe(`${bench.cwd}\none\ntwo\nthree`);
});

test("a non-zero exit is a failure with its code, a signal is named", async () => {
  await using bench = await bashBench();
  expect(await bench.run({ command: "echo no; exit 3" })).toMatchObject({
    status: "failed",
    exitCode: 3,
    text: "no\n[exit code 3]",
  });
  const killed = await bench.run({ command: "kill -KILL $$" });
  expect(killed).toMatchObject({
    status: "failed",
    text: "(no output)\n[ended by the signal SIGKILL]",
  });
  expect(killed).not.toHaveProperty("exitCode");
});

test("a command that reads its input finds it empty", async () => {
  await using bench = await bashBench();
  expect(await bench.run({ command: "cat; echo end" })).toMatchObject({ text: "end" });
});

test("output can be opened by name, as scripts do", async () => {
  await using bench = await bashBench();
  const command = "echo out > /dev/stdout; echo err > /dev/stderr; echo fd > /proc/self/fd/1";
  expect(await bench.run({ command })).toMatchObject({ status: "completed", text: "out\nerr\nfd" });
});

test("the shell's own jobs are its own alone", async () => {
  await using bench = await bashBench();
  const outcome = await bench.run({ command: "jobs; wait; sleep 0.1 & wait; echo done" });
  expect(outcome).toMatchObject({ status: "completed", text: "done" });
});

test("children see an allow-listed environment and that they run under an agent", async () => {
  await using bench = await bashBench({
    environment: { PATH: process.env["PATH"] ?? "", ACUMEN_AGENT: "1" },
  });
  const { text } = await bench.run({ command: "env" });
  const names = new Set(text.split("\n").map((line) => line.split("=")[0]));
  expect(names).toEqual(new Set(["ACUMEN_AGENT", "ACUMEN_COMMAND", "PATH", "PWD", "SHLVL", "_"]));
});

/** A shell that waits for a grandchild which holds the output and ignores polite signals; both write their pids. */
const FAMILY = `sh -c 'trap "" TERM INT HUP; echo $$ > grandchild; sleep 300' & echo $$ > child; wait`;

async function pidIn(bench: Bench, name: string): Promise<number> {
  const read = (): Promise<string> =>
    readFile(bench.folder.join("work", name), "utf8").catch(() => "");
  await eventually(async () => (await read()).trim() !== "");
  return Number(await read());
}

test("a time-out ends the whole group, and a grandchild that holds the output delays nothing", async () => {
  await using bench = await bashBench();
  const started = performance.now();
  const outcome = await bench.run({ command: `echo begun; ${FAMILY}`, timeout_ms: 500 });
  expect(performance.now() - started).toBeLessThan(5000);
  expect(outcome.status).toBe("failed");
  expect(outcome.text).toMatch(/^begun\n\[timed out after 500 ms/);
  expect(outcome).not.toHaveProperty("exitCode");
  await allEnded([await pidIn(bench, "child"), await pidIn(bench, "grandchild")]);
});

test("an abort ends the whole group within a second and rejects", async () => {
  await using bench = await bashBench();
  const controller = new AbortController();
  const running = bench.run({ command: FAMILY }, { signal: controller.signal });
  const pids = [await pidIn(bench, "child"), await pidIn(bench, "grandchild")];
  const aborted = performance.now();
  controller.abort();
  await expect(running).rejects.toMatchObject({ code: "CORE_ABORTED" });
  expect(performance.now() - aborted).toBeLessThan(3000);
  await allEnded(pids);
});

test("an abort before the start runs nothing", async () => {
  await using bench = await bashBench();
  await expect(
    bench.run({ command: "touch ran" }, { signal: AbortSignal.abort() }),
  ).rejects.toMatchObject({ code: "CORE_ABORTED" });
  expect(await readdir(bench.cwd)).toEqual([]);
});

test("what a command leaves running in its group ends with it", async () => {
  await using bench = await bashBench();
  const started = performance.now();
  const outcome = await bench.run({ command: "sleep 300 & echo $! > left; echo done" });
  expect(outcome).toMatchObject({ status: "completed", text: "done" });
  expect(performance.now() - started).toBeLessThan(20_000);
  await allEnded([await pidIn(bench, "left")]);
});

/** A child in a session of its own, which ignores polite signals, holds the output, and has a child in yet another one. */
const ESCAPED = `setsid sh -c 'trap "" TERM HUP; echo $$ > escaped; setsid sleep 300 & echo $! > further; sleep 300' &`;

test("a child that left the group cannot hold the result of a command that ends, and lives on", async () => {
  await using bench = await bashBench();
  const started = performance.now();
  const outcome = await bench.run({ command: `${ESCAPED} sleep 0.2; echo done` });
  expect(outcome).toMatchObject({ status: "completed", text: "done" });
  expect(performance.now() - started).toBeLessThan(20_000);
  const pids = [await pidIn(bench, "escaped"), await pidIn(bench, "further")];
  try {
    expect(await Promise.all(pids.map(isAlive))).toEqual([true, true]);
  } finally {
    for (const pid of pids) process.kill(-pid, "SIGKILL");
  }
});

test("a time-out also ends children that left the group", async () => {
  await using bench = await bashBench();
  const wait = "until [ -s further ]; do sleep 0.05; done; echo ready; sleep 300";
  const outcome = await bench.run({ command: `${ESCAPED} ${wait}`, timeout_ms: 3_000 });
  expect(outcome.text).toMatch(/^ready\n\[timed out after 3000 ms/);
  await allEnded([await pidIn(bench, "escaped"), await pidIn(bench, "further")]);
});

test("so does an abort, and what another command left alone stays", async () => {
  await using bench = await bashBench();
  await bench.run({ command: "setsid sh -c 'echo $$ > daemon; exec sleep 300' & sleep 0.2" });
  const daemon = await pidIn(bench, "daemon");
  try {
    const controller = new AbortController();
    const running = bench.run({ command: `${ESCAPED} wait` }, { signal: controller.signal });
    const pids = [await pidIn(bench, "escaped"), await pidIn(bench, "further")];
    const aborted = performance.now();
    controller.abort();
    await expect(running).rejects.toMatchObject({ code: "CORE_ABORTED" });
    expect(performance.now() - aborted).toBeLessThan(3000);
    await allEnded(pids);
    expect(await isAlive(daemon)).toBe(true);
  } finally {
    process.kill(daemon, "SIGKILL");
  }
});

test("last words of a command that is ended politely still arrive", async () => {
  await using bench = await bashBench();
  const command = `trap 'echo last words; exit 9' TERM; echo ready; while :; do sleep 0.05; done`;
  const outcome = await bench.run({ command, timeout_ms: 700 });
  expect(outcome.text).toMatch(/^ready\n(?:Terminated\n)?last words\n\[timed out/);
});

test("output that children still write when the shell has ended is not lost", async () => {
  await using bench = await bashBench();
  const outcome = await bench.run({ command: "seq 1 3 > >(sed s/^/x/)" });
  expect(outcome.text).toBe("x1\nx2\nx3");
});

test("a folder that is no folder, does not exist or lies outside is refused before anything runs", async () => {
  await using bench = await bashBench();
  await mkdir(bench.folder.join("work", "inner"));
  await symlink(bench.folder.path, bench.folder.join("work", "out"));
  expect((await bench.run({ command: "pwd", cwd: "inner" })).text).toBe(`${bench.cwd}/inner`);
  for (const cwd of ["nowhere", "out", "/", ".."]) {
    const outcome = await bench.run({ command: "touch ran", cwd });
    expect(outcome.status).toBe("failed");
    expect(outcome.text).toContain(cwd);
  }
  expect(await readdir(bench.cwd)).toEqual(["inner", "out"]);
});

test("a working directory that was swapped after the approval is not used", async () => {
  await using bench = await bashBench();
  await mkdir(bench.folder.join("work", "one"));
  await mkdir(bench.folder.join("work", "two"));
  await symlink("one", bench.folder.join("work", "link"));
  const call = await bench.bash.tool.prepare(
    { command: "touch ran", cwd: "link" },
    { signal: new AbortController().signal },
  );
  if (!call.ok) throw new Error(call.message);
  await rm(bench.folder.join("work", "link"));
  await symlink("two", bench.folder.join("work", "link"));
  expect((await call.run(runContext())).status).toBe("failed");
  expect(await readdir(bench.folder.join("work", "two"))).toEqual([]);
});

test("the preview holds the whole command and where it runs; the title its first line", async () => {
  await using bench = await bashBench();
  expect(await previewOf(bench.bash.tool, { command: "npm test\necho done" })).toEqual({
    title: "npm test…",
    risk: "execute",
    subject: { type: "command", command: "npm test\necho done", cwd: bench.cwd },
    locations: [],
    diff: [],
  });
});

test("twenty commands at once keep their outputs apart", async () => {
  await using bench = await bashBench();
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      bench.run({ command: `for i in $(seq 200); do echo line ${index}; done` }),
    ),
  );
  for (const [index, { text, status }] of outcomes.entries()) {
    expect(status).toBe("completed");
    expect(text).toBe(Array.from({ length: 200 }, () => `line ${index}`).join("\n"));
  }
});
