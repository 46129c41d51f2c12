import { readdir, readFile, writeFile } from "node:fs/promises";
import { EVENT_TYPES } from "@acumen/agent";
import { describe, expect, test } from "vitest";
import { agentBench } from "../support/agent-bench.ts";
import { CANARY } from "../support/canary.ts";
import { lastRecord, recordsOf } from "../support/run-main.ts";

const HELLO = { steps: [{ text: "Hello there." }] };
const COMMAND = {
  steps: [
    {
      text: "I try it.",
      toolCalls: [{ tool: "bash", input: { command: "echo made > made.txt" } }],
    },
    { text: "That is all." },
  ],
};

describe("what is printed", () => {
  test("the final text on stdout, everything else on stderr", async () => {
    await using bench = await agentBench(COMMAND);
    const { code, stdout, stderr } = await bench.run(["go", "--mode", "auto", "--trust-once"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "That is all.\n" });
    expect(stderr).toMatch(/^Acumen starts/);
    expect(stderr).toContain("I try it.\n> ");
    expect(stderr).toContain("echo made > made.txt");
    expect(stderr).toMatch(/ {2}ok, \d+\.\d s/);
    expect(stderr).toMatch(/\d+ \+ \d+ tokens, /);
    expect(stderr).not.toContain("\u001B");
    expect(await readFile(`${bench.workspace}/made.txt`, "utf8")).toBe("made\n");
  });

  test("one note about words with @ that name no file", async () => {
    await using bench = await agentBench(HELLO);
    const { code, stderr } = await bench.run(["read @missing.txt and @src/gone.ts for @me"]);
    expect(code).toBe(0);
    expect(stderr.match(/^.* file here.*$/gm)).toEqual([
      "@missing.txt, @src/gone.ts name no file here; they are sent as text.",
    ]);
  });

  test("nothing but the text with --quiet", async () => {
    await using bench = await agentBench(COMMAND);
    const { stdout, stderr } = await bench.run(["go", "--quiet", "--mode", "auto", "--trust-once"]);
    expect({ stdout, stderr }).toEqual({ stdout: "That is all.\n", stderr: "" });
  });

  test("on a terminal all the text as it comes, without what drives a terminal", async () => {
    await using bench = await agentBench({
      steps: [
        {
          text: "First \u001B[2Jthis.",
          chunkSize: 4,
          toolCalls: [{ tool: "glob", input: { pattern: "*" } }],
        },
        { text: "Then that.", chunkSize: 4 },
      ],
    });
    const pieces: string[] = [];
    const { stdout } = await bench.run(["go"], {
      stdoutIsTTY: true,
      onStdout: (text) => pieces.push(text),
    });
    expect(stdout).toBe("First [2Jthis.\nThen that.\n");
    expect(pieces.length).toBeGreaterThan(4);
  });
});

describe("--json", () => {
  test("is one stored record a line and the result last", async () => {
    await using bench = await agentBench(COMMAND);
    const outcome = await bench.run(["go", "--json", "--mode", "auto", "--trust-once"]);
    const records = recordsOf(outcome);
    const events = records.slice(0, -1);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
    for (const { type } of events) expect(EVENT_TYPES).toContain(type);
    const types = events.map(({ type }) => type);
    expect(types).toEqual(
      expect.arrayContaining(["SESSION_CREATED", "USER_MESSAGE", "TOOL_CALL", "TOOL_RESULT"]),
    );
    const last = records.at(-1);
    expect(last).toEqual({
      type: "result",
      session_id: events[0]?.["session_id"],
      turn_id: expect.any(String),
      stop_reason: "end_turn",
      text: "That is all.",
      usage: {
        input_tokens: expect.any(Number),
        cached_input_tokens: 0,
        output_tokens: expect.any(Number),
      },
    });
    const shown = await bench.acumen(["sessions", "show", String(last?.["session_id"]), "--json"]);
    expect(lastRecord(shown)["events"]).toEqual(events);
  });

  test("with --deltas has the pieces of the text too, which make the whole", async () => {
    await using bench = await agentBench({ steps: [{ text: "Hello there.", chunkSize: 5 }] });
    const records = recordsOf(await bench.run(["go", "--json", "--deltas"]));
    const deltas = records.filter(({ type }) => type === "delta");
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.map(({ text }) => text).join("")).toBe("Hello there.");
    const message = records.find(({ type }) => type === "ASSISTANT_MESSAGE");
    const id: unknown = deltas[0]?.["message_id"];
    expect(deltas[0]).toMatchObject({ kind: "assistant", message_id: expect.any(String) });
    expect(message).toMatchObject({ payload: { message_id: id } });
  });

  test("ends with the error, and with what there was until then, when the turn fails", async () => {
    await using bench = await agentBench({
      steps: [
        { text: "I look.", toolCalls: [{ tool: "glob", input: { pattern: "*" } }] },
        { error: { kind: "quota", message: "no such thing" } },
      ],
    });
    const outcome = await bench.run(["go", "--json"]);
    expect(outcome.code).toBe(1);
    expect(lastRecord(outcome)).toMatchObject({
      type: "result",
      session_id: expect.any(String),
      error: {
        code: "MODEL_FAILED",
        message: expect.stringContaining("no such thing"),
        details: {},
      },
      text: "I look.",
      usage: { input_tokens: expect.any(Number) },
    });
    expect(outcome.stderr).toMatch(/\nacumen: MODEL_FAILED: [^\n]+\n$/);
  });

  test("ends with one result also when nothing began", async () => {
    await using bench = await agentBench(HELLO);
    const outcome = await bench.acumen(["run", "--json", "go"]);
    expect(outcome.code).toBe(2);
    expect(recordsOf(outcome)).toEqual([
      {
        type: "result",
        session_id: null,
        error: { code: "CLI_NO_MODEL", message: expect.any(String), details: {} },
        text: "",
        usage: { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0 },
      },
    ]);
  });
});

describe("the prompt", () => {
  const asked = (text: string) => ({
    steps: [{ text: "Yes.", expect: { lastUserIncludes: text } }],
  });

  test.each([
    ["words", ["why", "so"], "", "why so"],
    ["stdin for -", ["-"], "from the pipe\n", "from the pipe"],
    ["stdin without words", [], "from the pipe\n", "from the pipe"],
  ])("is %s", async (_case, words, stdin, text) => {
    await using bench = await agentBench(asked(text));
    expect(await bench.run(words, { stdin })).toMatchObject({ code: 0, stdout: "Yes.\n" });
  });

  test("is words with what is piped attached as a document", async () => {
    await using bench = await agentBench(asked("+ added line"));
    const outcome = await bench.run(["review this", "--json"], { stdin: "+ added line\n" });
    expect(outcome.code).toBe(0);
    const message = recordsOf(outcome).find(({ type }) => type === "USER_MESSAGE");
    expect(message?.["payload"]).toMatchObject({
      content: [
        { type: "text", text: "review this" },
        { type: "resource", uri: "stdin:", text: "+ added line\n" },
      ],
    });
  });

  test("without a command and without a terminal is stdin", async () => {
    await using bench = await agentBench(asked("from the pipe"));
    const args = ["--no-color", "--model", bench.model, "--cwd", bench.workspace];
    const outcome = await bench.acumen(args, { stdin: "from the pipe" });
    expect(outcome).toMatchObject({ code: 0, stdout: "Yes.\n" });
    const variables = { ACUMEN_MODEL: bench.model };
    const bare = await bench.acumen([], { stdin: "from the pipe", variables });
    expect(bare).toMatchObject({ code: 0, stdout: "Yes.\n" });
  });

  test.each([
    ["empty words", [" "], ""],
    ["an empty pipe", [], " \n"],
  ])("of %s is a usage error", async (_case, words, stdin) => {
    await using bench = await agentBench(HELLO);
    const { code, stderr } = await bench.run([...words], { stdin });
    expect(code).toBe(2);
    expect(stderr).toContain("CLI_USAGE: The prompt is empty.");
  });
});

describe("exit codes", () => {
  test("3 when a call was rejected and the model ended there; the text says what would allow it", async () => {
    await using bench = await agentBench(COMMAND);
    const { code, stdout, stderr } = await bench.run(["go"]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: "That is all.\n" });
    const said = stderr.replaceAll(/\s*\|\s*/g, " ");
    expect(said).toContain("rejected");
    expect(said).toContain("`--mode auto` would allow it");
    // It is no simple command: no rule would allow it.
    expect(said).not.toContain("permissions.allow");
    expect(stderr).toMatch(/\nacumen: Blocked: approval rejected\./);
  });

  test("what a blocked call holds makes no long lines", async () => {
    const command = `touch ${"name ".repeat(300)}`;
    await using bench = await agentBench({
      steps: [{ toolCalls: [{ tool: "bash", input: { command } }] }, { text: "That is all." }],
    });
    const { code, stderr } = await bench.run(["go"]);
    expect(code).toBe(3);
    const notice = stderr.slice(stderr.indexOf("acumen: Blocked:"));
    expect(notice).toContain("name name");
    const lines = notice.trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(6);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  });

  test("3 names the rule that would allow a simple command", async () => {
    await using bench = await agentBench({
      steps: [
        { toolCalls: [{ tool: "bash", input: { command: "touch made.txt" } }] },
        { text: "That is all." },
      ],
    });
    const { code, stderr } = await bench.run(["go"]);
    expect(code).toBe(3);
    const said = stderr.replaceAll(/\s*\|\s*/g, " ");
    expect(said).toContain("The rule `bash(touch made.txt)` in `permissions.allow`");
  });

  test("3 when the model asks and nobody is there", async () => {
    await using bench = await agentBench({
      steps: [{ toolCalls: [{ tool: "ask_user", input: { question: "Which one?" } }] }],
    });
    const outcome = await bench.run(["go", "--json"]);
    expect(outcome.code).toBe(3);
    expect(lastRecord(outcome)).toMatchObject({
      stop_reason: "end_turn",
      blocked: { reason: "question" },
    });
  });

  test("3 when the model refuses", async () => {
    await using bench = await agentBench({
      steps: [{ text: "I must not.", finish: "content-filter" }],
    });
    const outcome = await bench.run(["go", "--json"]);
    expect(outcome.code).toBe(3);
    expect(lastRecord(outcome)["stop_reason"]).toBe("refusal");
  });

  test("4 at a limit, which is named", async () => {
    await using bench = await agentBench({
      steps: [{ toolCalls: [{ tool: "glob", input: { pattern: "*" } }] }],
      repeatLast: true,
    });
    const outcome = await bench.run(["go", "--json", "--max-steps", "1", "--quiet"]);
    expect(outcome.code).toBe(4);
    expect(lastRecord(outcome)).toMatchObject({
      stop_reason: "max_turn_requests",
      auto_stop: { reason: "step_limit", limit: 1 },
    });
    expect(outcome.stderr).toBe("acumen: Stopped by a limit: step limit (1).\n");
  });

  test("4 when the answer is too long even after the last continuation", async () => {
    await using bench = await agentBench({
      steps: [{ text: "And on ", finish: "length" }],
      repeatLast: true,
    });
    const outcome = await bench.run(["go", "--json"]);
    expect(outcome.code).toBe(4);
    expect(lastRecord(outcome)["stop_reason"]).toBe("max_tokens");
  });

  test.each([
    ["an unknown option", ["--jsn"], "CLI_USAGE"],
    ["an unknown mode", ["--mode", "fast"], "CLI_USAGE"],
    ["no steps", ["--max-steps", "0"], "CLI_USAGE"],
    ["two sessions", ["--continue", "--session", "x"], "CLI_USAGE"],
    ["an unknown model", ["--model", "nobody/x"], "CLI_USAGE"],
    ["the embedded model", ["--model", "builtin/recall"], "CLI_NO_MODEL"],
    ["a folder that does not exist", ["--cwd", "/nowhere"], "AGENT_WORKSPACE_INVALID"],
    ["a script that does not exist", ["--model", "scripted//nowhere.json"], "MODEL_SCRIPT_INVALID"],
    ["a settings file that does not exist", ["--config", "/nowhere.json"], "CLI_USAGE"],
  ])("2 for %s", async (_case, flags, expected) => {
    await using bench = await agentBench(HELLO);
    const { code, stdout, stderr } = await bench.run(["go", ...flags]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(new RegExp(`acumen: ${expected}: [^\\n]+\\n$`));
  });
});

describe("without a key", () => {
  test.each([
    ["no model is chosen", []],
    ["the chosen model's key is missing", ["--model", "openai/gpt-5-mini"]],
  ])("three lines say what to do when %s, and nothing is stored", async (_case, flags) => {
    await using bench = await agentBench(HELLO);
    const args = ["run", "go", "--quiet", "--cwd", bench.workspace, ...flags];
    const { code, stdout, stderr } = await bench.acumen(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    const lines = stderr.trimEnd().split("\n");
    expect(lines).toHaveLength(4);
    expect(lines[0]).toContain("acumen setup");
    expect(lines[1]).toContain("OPENAI_API_KEY");
    expect(lines[2]).toContain("ollama/NAME");
    expect(lines[3]).toMatch(/^acumen: (?:CLI_NO_MODEL|MODEL_FAILED): /);
    const listed = await bench.acumen(["sessions", "list", "--json"]);
    expect(lastRecord(listed)["sessions"]).toEqual([]);
  });

  test("a missing key is a model that cannot be built, in a new session and a stored one", async () => {
    await using bench = await agentBench(HELLO);
    const id = String(lastRecord(await bench.run(["first", "--json"]))["session_id"]);
    const run = ["run", "go", "--json", "--cwd", bench.workspace];
    const begun = await bench.acumen([...run, "--model", "openai/gpt-5-mini"]);
    expect(begun.code).toBe(2);
    const { error } = lastRecord(begun) as { error: { code: string; details: object } };
    expect(error).toMatchObject({ code: "MODEL_FAILED", details: { kind: "auth" } });
    expect(error.details).not.toHaveProperty("status");
    // Its key was there when the session began.
    const sessions = `${bench.home}/sessions`;
    const names = await readdir(sessions, { recursive: true });
    const path = `${sessions}/${names.find((name) => name.endsWith(`${id}/meta.json`)) ?? ""}`;
    const text = await readFile(path, "utf8");
    await writeFile(path, text.replace(JSON.stringify(bench.model), '"openai/gpt-5-mini"'));
    const stored = await bench.acumen([...run, "--continue"]);
    expect(stored.code).toBe(2);
    expect(lastRecord(stored)).toMatchObject({ error: { code: "MODEL_FAILED" } });
  });

  test("a key but no model is told apart", async () => {
    await using bench = await agentBench(HELLO);
    const variables = { OPENAI_API_KEY: CANARY };
    const { code, stderr } = await bench.acumen(["run", "go", "--quiet"], { variables });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^acumen: CLI_NO_MODEL: No model is chosen\.[^\n]+\n$/);
  });
});
