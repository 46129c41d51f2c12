import { existsSync } from "node:fs";
import { sourceCommand, startProcess, type TestProcess } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import { cliError } from "../../src/errors.ts";
import { type AgentBench, agentBench } from "../support/agent-bench.ts";
import { lastRecord, recordsOf } from "../support/run-main.ts";

const BIN = new URL("../../src/bin.ts", import.meta.url);
const SLOW = { steps: [{ text: "word ".repeat(2_000), chunkSize: 5, delayMs: 20 }] };

/** A real `acumen` in the workspace of a bench. */
function start(bench: AgentBench, args: readonly string[]): TestProcess {
  return startProcess(sourceCommand(BIN, args), {
    cwd: bench.workspace,
    env: { ACUMEN_HOME: bench.home, ACUMEN_MODEL: bench.model },
  });
}

/** The same in a shell line, where `$run` stands for it. */
function startShell(bench: AgentBench, line: string): TestProcess {
  const { command, args } = sourceCommand(BIN, ["run"]);
  const run = [command, ...args].map((word) => `'${word}'`).join(" ");
  return startProcess(
    { command: "sh", args: ["-c", line.replaceAll("$run", run)] },
    { cwd: bench.workspace, env: { ACUMEN_HOME: bench.home, ACUMEN_MODEL: bench.model } },
  );
}

describe("a signal", () => {
  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ])(
    "%s ends the turn within a second, with its result and exit code %i",
    async (signal, expected) => {
      await using bench = await agentBench(SLOW);
      const controller = new AbortController();
      let abortedAt = Number.NaN;
      const outcome = await bench.run(["go", "--json", "--deltas"], {
        signal: controller.signal,
        onStdout: (text) => {
          if (!text.includes('"type":"delta"') || controller.signal.aborted) return;
          abortedAt = performance.now();
          controller.abort(cliError("CLI_INTERRUPTED", "Ended.", { details: { signal } }));
        },
      });
      // The contract says one second; a busy machine gets some more.
      expect(performance.now() - abortedAt).toBeLessThan(3_000);
      expect(outcome.code).toBe(expected);
      const records = recordsOf(outcome);
      const results = records.filter(({ type }) => type === "result");
      expect(results).toEqual([
        expect.objectContaining({ session_id: expect.any(String), stop_reason: "cancelled" }),
      ]);
      expect(records.at(-1)).toBe(results[0]);
      expect(outcome.stderr).toMatch(/\nacumen: CLI_INTERRUPTED: [^\n]+\n$/);
    },
  );

  test("that comes to the process ends its commands too, and its session stays", async () => {
    await using bench = await agentBench({
      steps: [{ toolCalls: [{ tool: "bash", input: { command: "echo $$ > pid; sleep 60" } }] }],
    });
    await using child = start(bench, ["run", "--json", "--mode", "auto", "--trust-once", "go"]);
    child.child.stdin.end();
    await child.waitFor("stdout", '"type":"TOOL_CALL"', 50_000);
    while (!existsSync(`${bench.workspace}/pid`)) await new Promise((done) => setTimeout(done, 20));
    child.kill("SIGINT");
    expect((await child.exited).code).toBe(130);
    const records = recordsOf({ stdout: child.stdout() });
    expect(records.find(({ type }) => type === "TOOL_RESULT")).toMatchObject({
      payload: { status: "cancelled" },
    });
    expect(records.at(-1)).toMatchObject({ type: "result", stop_reason: "cancelled" });
    const listed = await bench.acumen(["sessions", "list", "--json"]);
    expect(lastRecord(listed)["sessions"]).toHaveLength(1);
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("%s that comes before anything is loaded ends it with %i", async (signal, code) => {
    await using bench = await agentBench(SLOW);
    await using child = start(bench, ["run", "--json", "go"]);
    await child.waitFor("stderr", "Acumen starts", 50_000);
    child.kill(signal);
    expect((await child.exited).code).toBe(code);
    expect(child.stderr()).toMatch(/^Acumen starts \.\.\.\nacumen: CLI_INTERRUPTED: [^\n]+\n$/);
    expect(lastRecord({ stdout: child.stdout() })).toMatchObject({
      error: { code: "CLI_INTERRUPTED" },
    });
  });

  test("ends the waiting for a pipe that nobody closes", async () => {
    await using bench = await agentBench(SLOW);
    await using child = start(bench, ["run", "--json", "go"]);
    await child.waitFor("stderr", "Reading stdin", 50_000);
    child.kill("SIGINT");
    expect((await child.exited).code).toBe(130);
    expect(lastRecord({ stdout: child.stdout() })).toMatchObject({
      session_id: null,
      error: { code: "CLI_INTERRUPTED" },
    });
  });
});

test("a reader that has seen enough ends the run in silence", async () => {
  await using bench = await agentBench(SLOW);
  const line =
    "{ $run --json --deltas --quiet go < /dev/null; echo $? >&2; } | head -n 3 > /dev/null";
  await using child = startShell(bench, line);
  await child.exited;
  expect(child.stderr()).toBe("141\n");
});

test("what a command pipes in is attached to the words", async () => {
  await using bench = await agentBench({
    steps: [{ text: "Fine.", expect: { lastUserIncludes: ["review this", "+two"] } }],
  });
  await using child = startShell(bench, "printf -- '-one\\n+two\\n' | $run 'review this'");
  expect((await child.exited).code).toBe(0);
  expect(child.stdout()).toBe("Fine.\n");
});

test("the first line of progress is there at once, whatever has to be loaded", async () => {
  await using bench = await agentBench({ steps: [{ text: "Hello." }] });
  let firstAt = Number.NaN;
  const startedAt = performance.now();
  await bench.run(["go"], {
    onStderr: () => {
      if (Number.isNaN(firstAt)) firstAt = performance.now();
    },
  });
  // The contract says 200 ms from the start of the process; a busy machine gets some more.
  expect(firstAt - startedAt).toBeLessThan(3_000);
});
