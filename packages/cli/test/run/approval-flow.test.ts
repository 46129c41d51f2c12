import { existsSync } from "node:fs";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { InputStream } from "../../src/command-context.ts";
import { main } from "../../src/main.ts";
import { type AgentBench, agentBench } from "../support/agent-bench.ts";
import { recordsOf } from "../support/run-main.ts";

const TOUCH = {
  steps: [
    { toolCalls: [{ tool: "bash", input: { command: "touch made.txt" } }] },
    { text: "That is all." },
  ],
};

interface Answered {
  readonly code: number;
  readonly stdout: string;
  readonly shown: string;
}

/** `acumen run` with a person at a terminal who presses `key` when asked; stdout goes into a file. */
async function answered(bench: AgentBench, key: string, flags: string[] = []): Promise<Answered> {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  let shown = "";
  let stdout = "";
  let pressed = false;
  stderr.on("data", (chunk: Buffer) => {
    shown += chunk.toString("utf8");
    if (pressed || !shown.includes("never in this session")) return;
    pressed = true;
    setTimeout(() => input.write(key), 20);
  });
  const args = ["run", "--cwd", bench.workspace, "--model", bench.model, "go", ...flags];
  const code = await main(args, {
    stdout: { write: (text) => (stdout += text) },
    stderr,
    stdin: () => input as unknown as InputStream,
    variables: { PATH: process.env["PATH"], ACUMEN_HOME: bench.home, NO_COLOR: "1" },
    signal: new AbortController().signal,
  });
  return { code, stdout, shown };
}

test("on a terminal a call is asked for, and runs once it is allowed", async () => {
  await using bench = await agentBench(TOUCH);
  const { code, stdout, shown } = await answered(bench, "\r");
  expect({ code, stdout }).toEqual({ code: 0, stdout: "That is all.\n" });
  expect(shown).toContain("bash wants to run a command");
  expect(shown).toContain("$ touch made.txt");
  expect(existsSync(`${bench.workspace}/made.txt`)).toBe(true);
});

test("Ctrl-C at the question cancels the turn as the signal would", async () => {
  await using bench = await agentBench(TOUCH);
  const { code, stdout } = await answered(bench, "\u0003", ["--json"]);
  expect(code).toBe(130);
  const records = recordsOf({ stdout });
  expect(records.find(({ type }) => type === "TOOL_RESULT")).toMatchObject({
    payload: { status: "cancelled" },
  });
  expect(records.at(-1)).toMatchObject({ type: "result", stop_reason: "cancelled" });
  expect(existsSync(`${bench.workspace}/made.txt`)).toBe(false);
});
