import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import { allEnded, bashBench, eventually, isAlive, previewOf } from "./fixture.ts";

function pidOf(text: string): number {
  return Number(/pid (\d+)/.exec(text)?.[1]);
}

test("starts, looks at, writes to and stops a process; ids count up", async () => {
  await using bench = await bashBench();
  const started = await bench.run({
    action: "start",
    command: "echo ready; while read -r line; do echo got $line; done; echo end",
  });
  expect(started).toMatchObject({ status: "completed" });
  expect(started.text).toMatch(/^bg_1 was started\.\nbg_1 runs \(pid \d+\): echo ready/);
  const pid = pidOf(started.text);
  await bench.run({ action: "write", process_id: "bg_1", input: "a b\n" });
  const logs = async (): Promise<string> =>
    (await bench.run({ action: "logs", process_id: "bg_1" })).text;
  await eventually(async () => (await logs()).includes("got a b"));
  expect(await logs()).toMatch(/\n\[characters 0 to 14 of 14\]\nready\ngot a b\n$/);
  const second = await bench.run({ action: "start", command: "sleep 300" });
  expect(second.text).toContain("bg_2 runs");
  expect((await bench.run({ action: "list" })).text).toMatch(
    /^bg_1 runs .*\nbg_2 runs .*sleep 300$/,
  );
  await bench.run({ action: "write", process_id: "bg_1", input: "\u0004" });
  await eventually(async () => (await logs()).includes("end"));
  await eventually(async () => !(await isAlive(pid)));
  expect((await bench.run({ action: "status", process_id: "bg_1" })).text).toMatch(
    /^bg_1 ended with exit code 0: /,
  );
  const stopped = await bench.run({ action: "stop", process_id: "bg_2" });
  expect(stopped.text).toBe("bg_2 was ended by SIGTERM: sleep 300");
  expect((await bench.run({ action: "stop", process_id: "bg_2" })).text).toContain(
    "had ended already",
  );
  const late = await bench.run({ action: "write", process_id: "bg_2", input: "x" });
  expect(late).toMatchObject({ status: "failed" });
  expect(late.text).toContain("has ended");
});

test("a process that fails at once is a failed start with its output and code", async () => {
  await using bench = await bashBench();
  const outcome = await bench.run({ action: "start", command: "echo broken >&2; exit 4" });
  await eventually(async () =>
    (await bench.run({ action: "status", process_id: "bg_1" })).text.includes("exit code 4"),
  );
  // A busy machine may be too slow to see the end within the start.
  if (outcome.status === "failed") expect(outcome).toMatchObject({ exitCode: 4 });
  expect((await bench.run({ action: "logs", process_id: "bg_1" })).text).toContain("broken");
});

test("no profile of the user runs, and input and output can be opened by name", async () => {
  await using bench = await bashBench({
    environment: { PATH: process.env["PATH"] ?? "" },
  });
  const home = bench.folder.join("home");
  await mkdir(home);
  await writeFile(bench.folder.join("home", ".bashrc"), "echo from the profile\n");
  const command = `HOME=${home} exec bash -c 'head -n 1 /dev/stdin > /dev/stderr; sleep 300'`;
  await bench.run({ action: "start", command });
  await bench.run({ action: "write", process_id: "bg_1", input: "line\n" });
  const logs = async (): Promise<string> =>
    (await bench.run({ action: "logs", process_id: "bg_1" })).text;
  await eventually(async () => (await logs()).includes("line"));
  expect(await logs()).toMatch(/\]\nline\n$/);
});

test("logs are read from any offset and are bounded", async () => {
  await using bench = await bashBench();
  await bench.run({ action: "start", command: "seq 1 400000; sleep 300" });
  const tail = async (): Promise<string> =>
    (await bench.run({ action: "logs", process_id: "bg_1", limit: 20 })).text;
  await eventually(async () => (await tail()).endsWith("400000\n"));
  const end = Number(/of (\d+)/.exec(await tail())?.[1]);
  expect(end).toBe(Array.from({ length: 400_000 }, (_, i) => `${i + 1}\n`).join("").length);
  const early = await bench.run({ action: "logs", process_id: "bg_1", offset: 0, limit: 14 });
  const begin = Number(/before (\d+) is no longer kept/.exec(early.text)?.[1]);
  expect(begin).toBeGreaterThan(0);
  expect(early.text).toContain(`[characters ${begin} to ${begin + 14} of ${end};`);
  const part = await bench.run({ action: "logs", process_id: "bg_1", offset: end - 14, limit: 7 });
  expect(part.text).toContain("]\n399999\n");
  expect(part.truncated).toBe(true);
  const beyond = await bench.run({ action: "logs", process_id: "bg_1", offset: end + 5 });
  expect(beyond.text).toContain(`[characters ${end} to ${end} of ${end}`);
});

test("a secret in a log is hidden, also when it is written in two parts", async () => {
  await using bench = await bashBench({ redact: createRedactor(["correct-horse-battery"]) });
  const command = "printf 'a correct-ho'; sleep 0.2; printf 'rse-battery b\\n'; sleep 300";
  await bench.run({ action: "start", command });
  const logs = async (): Promise<string> =>
    (await bench.run({ action: "logs", process_id: "bg_1" })).text;
  await eventually(async () => (await logs()).includes(" b\n"));
  expect(await logs()).toMatch(/\na \[hidden\] b\n$/);
});

test("closing ends every process with what it started", async () => {
  await using bench = await bashBench();
  const command = `sh -c 'trap "" TERM HUP; sleep 300' & sleep 300 & echo $$ $(jobs -p | xargs); wait`;
  const { text } = await bench.run({ action: "start", command });
  const pid = pidOf(text);
  const logs = async (): Promise<string> =>
    (await bench.run({ action: "logs", process_id: "bg_1" })).text;
  await eventually(async () => /^\d+ \d+ \d+$/m.test(await logs()));
  const pids = (/^\d+ \d+ \d+$/m.exec(await logs())?.[0] ?? "").split(" ").map(Number);
  expect(pids[0]).toBe(pid);
  expect(await Promise.all(pids.map(isAlive))).not.toContain(false);
  await bench.bash.close();
  await allEnded(pids);
  const late = await bench.run({ action: "start", command: "sleep 1" });
  expect(late).toMatchObject({ status: "failed" });
  expect(late.text).toContain("session is closed");
});

test("stopping and closing also end what left the group, even when its process ended long ago", async () => {
  await using bench = await bashBench();
  const escaped = (name: string): string =>
    `setsid sh -c 'trap "" TERM HUP; echo $$ > ${name}; sleep 300'`;
  await bench.run({ action: "start", command: `${escaped("one")} & wait` });
  await bench.run({ action: "start", command: `${escaped("two")} & wait` });
  await bench.run({ action: "start", command: `${escaped("three")} & sleep 0.2` });
  const pids: number[] = [];
  for (const name of ["one", "two", "three"]) {
    const read = (): Promise<string> => readFile(join(bench.cwd, name), "utf8").catch(() => "");
    await eventually(async () => (await read()).endsWith("\n"));
    pids.push(Number(await read()));
  }
  const [one = 0, two = 0, three = 0] = pids;
  const status = { action: "status", process_id: "bg_3" };
  await eventually(async () => (await bench.run(status)).text.includes("ended with exit code 0"));
  await bench.run({ action: "stop", process_id: "bg_1" });
  await allEnded([one]);
  expect(await Promise.all([two, three].map(isAlive))).toEqual([true, true]);
  await bench.bash.close();
  await allEnded([two, three]);
});

test("looking at processes is reading; what is written is shown to rules as a command that no allow rule fits", async () => {
  await using bench = await bashBench();
  const { tool } = bench.bash;
  await bench.run({ action: "start", command: "cat" });
  for (const input of [
    { action: "list" },
    { action: "status", process_id: "bg_1" },
    { action: "logs", process_id: "bg_1" },
  ]) {
    expect(await previewOf(tool, input)).toMatchObject({ risk: "read", subject: { type: "none" } });
  }
  expect(await previewOf(tool, { action: "stop", process_id: "bg_1" })).toMatchObject({
    title: "stop bg_1: cat",
    risk: "execute",
  });
  const write = { action: "write", process_id: "bg_1", input: "rm -rf /\n" };
  expect(await previewOf(tool, write)).toMatchObject({
    title: "write bg_1: cat",
    risk: "execute",
    subject: { type: "command", command: "# input of bg_1\nrm -rf /\n", cwd: bench.cwd },
  });
});

test.each([
  [{}, "exec", "it needs command"],
  [{ command: " " }, "", "is empty"],
  [{ command: "a\0b" }, "", "NUL"],
  [{ command: "ls", process_id: "bg_1" }, "exec", "it takes no process_id"],
  [{ command: "ls", action: "start", timeout_ms: 5 }, "start", "it takes no timeout_ms"],
  [{ action: "logs" }, "logs", "it needs process_id"],
  [{ action: "write", process_id: "bg_1" }, "write", "it needs input"],
  [{ action: "list", command: "ls" }, "list", "it takes no command"],
  [
    { action: "status", process_id: "bg_9" },
    "",
    'no process "bg_9" in this session; none was started',
  ],
  [{ command: "ls", timeout_ms: 600_001 }, "", "timeout_ms"],
  [{ command: "ls", comand: "x" }, "", 'unknown field "comand" (did you mean "command"?)'],
  [{ action: "run" }, "", "action"],
])("an input that does not fit is refused and says why: %j", async (input, action, message) => {
  await using bench = await bashBench();
  const outcome = await bench.run(input);
  expect(outcome.status).toBe("failed");
  expect(outcome.text).toContain(message);
  expect(outcome.text).toContain(action);
});

test("a command that no system could start is refused", async () => {
  await using bench = await bashBench();
  const outcome = await bench.run({ command: "x".repeat(100_001) });
  expect(outcome.text).toContain("100001 bytes; at most 100000");
  expect((await bench.run({ command: `: ${"x".repeat(99_000)}` })).status).toBe("completed");
});

test("a process whose folder is gone is not started, and says so", async () => {
  await using bench = await bashBench();
  const call = await bench.bash.tool.prepare(
    { action: "start", command: "true" },
    { signal: new AbortController().signal },
  );
  await rm(bench.cwd, { recursive: true });
  const outcome = await bench.run({ action: "start", command: "true" });
  expect(call.ok).toBe(true);
  expect(outcome.status).toBe("failed");
  expect(outcome.text).toContain("does not exist");
});

test("what is shown of a start says that it goes on in the background", async () => {
  await using bench = await bashBench();
  const { tool } = bench.bash;
  const preview = await previewOf(tool, { action: "start", command: "npm start" });
  expect(preview).toMatchObject({
    title: "start in the background: npm start",
    subject: { type: "command", command: "npm start", cwd: bench.cwd, background: true },
  });
  const waited = await previewOf(tool, { command: "npm start" });
  expect(waited.subject).toEqual({ type: "command", command: "npm start", cwd: bench.cwd });
});
