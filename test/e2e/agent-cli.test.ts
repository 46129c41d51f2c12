import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { lastUserText, type ModelReply, startProcess, type TestProcess } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import {
  ACUMEN_BIN,
  acumenCommand,
  agentPlace,
  processesIn,
  recordsIn,
  untilNoneIn,
} from "./support/agent-cli.ts";
import { mustRun } from "./support/run-command.ts";

/** The contract says one second; a busy machine gets some more. */
const CANCELLED_WITHIN_MS = 3_000;

/** Ends a run by SIGINT and tells how long it took. */
async function interrupted(run: TestProcess): Promise<{ code: number | null; ms: number }> {
  const startedAt = performance.now();
  run.kill("SIGINT");
  const { code } = await run.exited;
  return { code, ms: performance.now() - startedAt };
}

test("git diff | acumen run: the diff is attached to the words, and progress is there before the answer", async () => {
  let release: (reply: ModelReply) => void = () => undefined;
  const reply = new Promise<ModelReply>((resolve) => (release = resolve));
  await using place = await agentPlace(() => reply);
  const cwd = await place.workspace("repository");
  const git = (...args: string[]): Promise<unknown> =>
    mustRun("git", ["-c", "user.name=Test", "-c", "user.email=test@localhost", ...args], { cwd });
  await git("init", "--quiet");
  await writeFile(`${cwd}/limit.js`, "export const limit = 10;\n");
  await git("add", "limit.js");
  await git("commit", "--quiet", "--message=A limit");
  await writeFile(`${cwd}/limit.js`, "export const limit = 11;\n");

  const line = 'git diff | "$0" "$1" run "review this"';
  await using run = startProcess(
    { command: "/bin/sh", args: ["-c", line, process.execPath, ACUMEN_BIN] },
    { cwd, env: place.env },
  );
  await place.server.untilRequests(1, 60_000);
  expect(run.stderr()).toMatch(/^Acumen starts \.\.\.\n/);
  expect(run.stderr()).toContain("openai_compatible/test-model, mode safe, session ");
  expect(run.stdout()).toBe("");
  release({ text: "The limit became 11." });
  expect((await run.exited).code, run.stderr()).toBe(0);
  expect(run.stdout()).toBe("The limit became 11.\n");
  const asked = lastUserText(place.server.calls[0] ?? expect.fail("no call"));
  for (const part of ["review this", "-export const limit = 10;", "+export const limit = 11;"]) {
    expect(asked).toContain(part);
  }
});

describe("SIGINT", () => {
  test("while a command runs ends it with all its children, within a second, with exit code 130", async () => {
    await using place = await agentPlace([
      {
        toolCalls: [
          { name: "bash", input: { action: "start", command: "sleep 300" } },
          { name: "bash", input: { command: "sleep 300 & touch started; sleep 300" } },
        ],
      },
    ]);
    const cwd = await place.workspace("work");
    await using run = place.start(["run", "--json", "--mode", "auto", "--trust-once", "go"], cwd);
    run.child.stdin.end();
    await run.waitFor("stdout", '"type":"TOOL_CALL"', 60_000);
    while (!existsSync(`${cwd}/started`)) await new Promise((resolve) => setTimeout(resolve, 20));
    // acumen, the background one, the shell and its two.
    expect((await processesIn(cwd)).length).toBeGreaterThanOrEqual(4);
    const { code, ms } = await interrupted(run);
    expect(code).toBe(130);
    expect(ms).toBeLessThan(CANCELLED_WITHIN_MS);
    await untilNoneIn(cwd, CANCELLED_WITHIN_MS);
    const records = recordsIn(run.stdout());
    expect(records.at(-1)).toMatchObject({ type: "result", stop_reason: "cancelled" });
    const calls = records.filter(({ type }) => type === "TOOL_CALL");
    const results = records.filter(({ type }) => type === "TOOL_RESULT");
    expect(results).toHaveLength(calls.length);
    expect(run.stderr()).toContain("acumen: CLI_INTERRUPTED: Ended by SIGINT.");
  });

  test("while the model is silent closes the connection, and the session can go on", async () => {
    let first = true;
    await using place = await agentPlace(() => {
      const step = first
        ? ({ fault: "hang", at: "middle", text: "I think" } as const)
        : { text: "Here." };
      first = false;
      return step;
    });
    const cwd = await place.workspace("work");
    await using run = place.start(["run", "--json", "--deltas", "go"], cwd);
    run.child.stdin.end();
    await run.waitFor("stdout", '"type":"delta"', 60_000);
    const { code, ms } = await interrupted(run);
    expect(code).toBe(130);
    expect(ms).toBeLessThan(CANCELLED_WITHIN_MS);
    await place.server.untilAborted(1);

    await using next = place.start(["run", "--continue", "and now?"], cwd);
    next.child.stdin.end();
    expect((await next.exited).code, next.stderr()).toBe(0);
    expect(next.stdout()).toBe("Here.\n");
    expect(place.server.requests.every(({ refusal }) => refusal === undefined)).toBe(true);
  });
});

test("without a key it says in three lines how to get one, and exits 2", async () => {
  await using place = await agentPlace([]);
  const cwd = await place.workspace("work");
  await using run = startProcess(acumenCommand(["run", "hello"]), {
    cwd,
    env: { ACUMEN_HOME: place.home },
  });
  run.child.stdin.end();
  expect((await run.exited).code).toBe(2);
  expect(run.stdout()).toBe("");
  expect(run.stderr()).toContain("acumen setup");
  expect(run.stderr()).toMatch(/acumen: CLI_NO_MODEL: /);
});
