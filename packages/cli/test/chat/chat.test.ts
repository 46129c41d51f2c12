import { existsSync } from "node:fs";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { cliError } from "../../src/errors.ts";
import { agentBench } from "../support/agent-bench.ts";
import { lastRecord } from "../support/run-main.ts";
import { chatScreen } from "./chat-screen.ts";

const AUTO = ["--mode", "auto", "--trust-once"];
const write = (path: string, content: string) => ({
  toolCalls: [{ tool: "write_file", input: { path, content } }],
});

describe("a turn", () => {
  test("shows thought, text, call, question, result and cost, and asks for the next prompt", async () => {
    await using bench = await agentBench({
      steps: [
        {
          reasoning: "Let me see.",
          text: "I try \u001B[2Jit.",
          toolCalls: [{ tool: "bash", input: { command: "echo made; exit 3" } }],
        },
        { text: "That is all." },
      ],
    });
    await using chat = chatScreen(bench);
    await chat.shows("mode safe");
    await chat.shows("safe> ");
    chat.type("go\r");
    await chat.shows("thinking: Let me see.\n");
    // A control sequence of the model loses what makes it one.
    await chat.shows("I try [2Jit.\n");
    await chat.shows("> bash echo made; exit 3\n");
    await chat.shows("bash wants to run a command");
    await chat.shows("$ echo made; exit 3");
    await chat.shows(`in ${bench.workspace}`);
    await chat.shows("never in this session");
    chat.type("\r");
    await chat.shows("  failed, exit code 3, ");
    await chat.shows("  | made\n");
    await chat.shows("That is all.\n");
    await chat.shows(" tokens, ");
    await chat.shows("safe> ");
    chat.type("/exit\r");
    expect(await chat.exitCode).toBe(0);
    expect(chat.text()).not.toContain("\u001B[2J");
    expect(chat.errors()).toBe("");
  });

  test("says which word with @ names no file", async () => {
    await using bench = await agentBench({ steps: [{ text: "I see." }] });
    await using chat = chatScreen(bench);
    await chat.shows("safe> ");
    chat.type("look at @missing.txt\r");
    await chat.shows("@missing.txt names no file here; it is sent as text.\n");
    await chat.shows("I see.\n");
  });

  test("shows a change once: in the question, or else with the result", async () => {
    await using bench = await agentBench({
      steps: [write("a.txt", "one\n"), write("b.txt", "two\n"), { text: "Done." }],
    });
    await using chat = chatScreen(bench);
    await chat.shows("safe> ");
    chat.type("go\r");
    await chat.shows("always in this session: write_file in this workspace");
    await chat.shows("never in this session");
    chat.type("j\r");
    await chat.shows("> write_file Write b.txt");
    await chat.shows("allowed by an earlier answer");
    await chat.shows("safe> ");
    expect(chat.text().match(/\+one/g)).toHaveLength(1);
    expect(chat.text().match(/\+two/g)).toHaveLength(1);
  });

  test("takes an answer to a question of the model, one of its own or other words", async () => {
    const ask = { tool: "ask_user", input: { question: "Which port?", options: ["80", "81"] } };
    await using bench = await agentBench({
      steps: [
        { toolCalls: [ask] },
        { text: "So.", expect: { toolResultIncludes: ["81"] }, toolCalls: [{ ...ask, id: "x" }] },
        { text: "Then.", expect: { toolResultIncludes: ["my own"] } },
      ],
    });
    await using chat = chatScreen(bench);
    await chat.shows("safe> ");
    chat.type("go\r");
    await chat.shows("Something else");
    chat.type("j\r");
    await chat.shows("So.");
    await chat.shows("Something else");
    chat.type("jj\r");
    await chat.shows("Your answer");
    chat.type("my own\r");
    await chat.shows("Then.");
  });

  test("what is typed while it runs is the next prompt, and answers no question", async () => {
    await using bench = await agentBench({
      steps: [
        { text: "slow ".repeat(10), chunkSize: 5, delayMs: 20, ...write("a.txt", "one\n") },
        { text: "First." },
        { text: "Second.", expect: { lastUserIncludes: ["and then"] } },
      ],
    });
    await using chat = chatScreen(bench);
    await chat.shows("safe> ");
    chat.type("go\r");
    await chat.shows("slow");
    chat.type("and then\r");
    await chat.shows("never in this session");
    expect(existsSync(`${bench.workspace}/a.txt`)).toBe(false);
    chat.type("\u001B[200~\r\u001B[201~");
    chat.type("jj\r");
    await chat.shows("rejected");
    await chat.shows("First.");
    await chat.shows("Second.");
    expect(existsSync(`${bench.workspace}/a.txt`)).toBe(false);
  });

  test("that fails says so in a line, and the chat goes on", async () => {
    await using bench = await agentBench({
      steps: [
        { text: "No.", error: { kind: "bad_request", message: "the request is wrong", times: 1 } },
      ],
    });
    await using chat = chatScreen(bench);
    await chat.shows("safe> ");
    const shown = await chat.line("go");
    expect(shown.match(/the request is wrong/g)).toHaveLength(1);
    expect(await chat.line("again")).toContain("No.");
  });
});

describe("Ctrl-C", () => {
  test("cancels a turn at once; pressed again behind it, it leaves with 130", async () => {
    await using bench = await agentBench({
      steps: [{ toolCalls: [{ tool: "bash", input: { command: "touch on; sleep 60" } }] }],
    });
    await using chat = chatScreen(bench, AUTO);
    await chat.shows("auto> ");
    chat.type("go\r");
    while (!existsSync(`${bench.workspace}/on`)) await new Promise((done) => setTimeout(done, 5));
    const startedAt = performance.now();
    chat.type("\u0003");
    await chat.shows("Cancelled.");
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    await chat.shows("auto> ");
    chat.type("\u0003");
    expect(await chat.exitCode).toBe(130);
  });

  test("clears a line; on an empty one it leaves when pressed twice in a row", async () => {
    await using bench = await agentBench({ steps: [{ text: "Hello." }] });
    await using chat = chatScreen(bench);
    await chat.shows("safe> ");
    chat.type("half a line\u0003");
    await chat.shows("^C");
    await chat.shows("safe> ");
    chat.type("\u0003");
    await chat.shows("Ctrl-C again leaves.");
    await chat.shows("safe> ");
    expect(await chat.line("hi")).toContain("Hello.");
    chat.type("\u0003");
    await chat.shows("Ctrl-C again leaves.");
    await chat.shows("safe> ");
    chat.type("\u0003");
    expect(await chat.exitCode).toBe(130);
  });

  test("at a question cancels the turn and not the chat", async () => {
    await using bench = await agentBench({ steps: [write("a.txt", "one\n"), { text: "Next." }] });
    await using chat = chatScreen(bench);
    await chat.shows("safe> ");
    chat.type("go\r");
    await chat.shows("never in this session");
    chat.type("\u0003");
    await chat.shows("Cancelled.");
    await chat.shows("safe> ");
    expect(await chat.line("and?")).toContain("Next.");
    expect(existsSync(`${bench.workspace}/a.txt`)).toBe(false);
  });
});

describe("the end", () => {
  test("by Ctrl-D, or when the terminal is gone, is no failure", async () => {
    await using bench = await agentBench({ steps: [] });
    const first = chatScreen(bench);
    await first.shows("safe> ");
    first.type("\u0004");
    expect(await first.exitCode).toBe(0);
    const second = chatScreen(bench);
    await second.shows("safe> ");
    second.hangUp();
    expect(await second.exitCode).toBe(0);
  });

  test("by a signal has the signal's exit code, while it waits and while it works", async () => {
    await using bench = await agentBench({
      steps: [{ toolCalls: [{ tool: "bash", input: { command: "touch on; sleep 60" } }] }],
    });
    const end = cliError("CLI_INTERRUPTED", "Ended by SIGTERM.", {
      details: { signal: "SIGTERM" },
    });
    const waiting = chatScreen(bench);
    await waiting.shows("safe> ");
    waiting.controller.abort(end);
    expect(await waiting.exitCode).toBe(143);
    const working = chatScreen(bench, AUTO);
    await working.shows("auto> ");
    working.type("go\r");
    while (!existsSync(`${bench.workspace}/on`)) await new Promise((done) => setTimeout(done, 5));
    working.controller.abort(end);
    expect(await working.exitCode).toBe(143);
  });

  test("leaves a session behind only when somebody said something", async () => {
    await using bench = await agentBench({ steps: [{ text: "Hello." }] });
    const silent = chatScreen(bench);
    await silent.shows("safe> ");
    silent.type("/status\r/exit\r");
    expect(await silent.exitCode).toBe(0);
    const list = async () => lastRecord(await bench.acumen(["sessions", "list", "--json"]));
    expect(await list()).toMatchObject({ sessions: [] });
    const used = chatScreen(bench);
    await used.shows("safe> ");
    await used.line("hi");
    used.type("/exit\r");
    expect(await used.exitCode).toBe(0);
    const { sessions } = await list();
    const [{ session_id: id } = { session_id: "" }] = sessions as { session_id: string }[];
    expect(used.text()).toContain(`\`acumen --session ${id}\` goes on with it.`);
    await using again = chatScreen(bench, ["--continue"]);
    await again.shows(`session ${id}`);
    await again.shows("you: hi");
    await again.shows("Hello.");
  });
});

describe("trust", () => {
  test("is asked for once when mode auto is wanted; no means safe", async () => {
    await using bench = await agentBench({ steps: [write("a.txt", "one\n"), { text: "Done." }] });
    await using chat = chatScreen(bench, ["--mode", "auto"]);
    await chat.shows("is not trusted.");
    await chat.shows("Mode auto would run everything here without asking.");
    await chat.shows("Trust this folder");
    chat.type("n");
    await chat.shows("It stays untrusted");
    await chat.shows("safe> ");
    chat.type("go\r");
    await chat.shows("never in this session");
    chat.type("jj\r");
    await chat.shows("safe> ");
    expect(existsSync(`${bench.workspace}/a.txt`)).toBe(false);
  });

  test("given, lets settings of the folder in; a change asks again and shows what changed", async () => {
    await using bench = await agentBench({ steps: [] });
    const settings = `${bench.workspace}/.acumen/config.json`;
    await mkdir(`${bench.workspace}/.acumen`);
    await writeFile(settings, '{"permissions":{"deny":["bash(rm *)"]}}');
    const first = chatScreen(bench);
    await first.shows("would bring settings");
    await first.shows(`{"permissions":{"deny":["bash(rm *)"]}}`);
    await first.shows("Trust this folder");
    first.type("y");
    await first.shows("(trusted)");
    await first.shows("safe> ");
    expect(await first.line("/permissions")).toContain("deny bash(rm *)");
    first.type("/exit\r");
    await first.exitCode;
    await writeFile(settings, '{"permissions":{"deny":["bash(mv *)"]}}');
    await using second = chatScreen(bench);
    await second.shows("was trusted, and its .acumen folder changed since.");
    await second.shows("bash(rm *)");
    await second.shows("bash(mv *)");
    await second.shows("Trust this folder");
    second.type("\r");
    await second.shows("It stays untrusted");
    await second.shows("is not read");
  });
});

test("in the home folder the person's own settings are no workspace's, and nothing is asked", async () => {
  await using bench = await agentBench({ steps: [] });
  await bench.write("work/.acumen/config.json", '{"mode":"manual"}');
  const home = { ...bench, home: `${bench.workspace}/.acumen` };
  await using chat = chatScreen(home);
  await chat.shows("manual> ");
  expect(chat.text()).not.toMatch(/trust|is not read/i);
});

describe("what cannot begin", () => {
  test("without a key: three lines and exit code 2", async () => {
    await using bench = await agentBench({ steps: [] });
    const chat = chatScreen(bench, [], { model: "openai/gpt-4o-mini" });
    expect(await chat.exitCode).toBe(2);
    expect(chat.errors()).toMatch(/^No key yet:[^\n]*\n[^\n]*\n[^\n]*\nacumen: MODEL_FAILED: /);
  });

  test("without a model or with --json: one line and exit code 2", async () => {
    await using bench = await agentBench({ steps: [] });
    const none = chatScreen(bench, [], { model: null });
    expect(await none.exitCode).toBe(2);
    expect(none.errors()).toContain("CLI_NO_MODEL");
    const json = chatScreen(bench, ["--json"]);
    expect(await json.exitCode).toBe(2);
    expect(json.errors()).toContain("acumen run --json");
  });

  test("`acumen chat` without a terminal says what to use instead", async () => {
    await using bench = await agentBench({ steps: [] });
    const { code, stderr } = await bench.acumen(["chat", "--cwd", bench.workspace]);
    expect(code).toBe(2);
    expect(stderr).toContain("acumen run");
  });
});

test("--quiet shows neither heading nor counts", async () => {
  await using bench = await agentBench({ steps: [{ text: "Hello." }] });
  await using chat = chatScreen(bench, ["--quiet"]);
  await chat.shows("safe> ");
  const shown = await chat.line("hi");
  expect(shown).toContain("Hello.");
  expect(chat.text()).not.toMatch(/tokens|session|Acumen/);
});

test("what was typed is kept for the next chat, without secrets and readable by nobody else", async () => {
  await using bench = await agentBench({ steps: [{ text: "Hello." }, { text: "Again." }] });
  const variables = { OPENAI_API_KEY: "sk-canary-7f3a9c51e0d24b68" };
  const first = chatScreen(bench, [], { variables });
  await first.shows("safe> ");
  await first.line("what is sk-canary-7f3a9c51e0d24b68 for");
  first.type("/exit\r");
  await first.exitCode;
  const path = `${bench.home}/chat-history.jsonl`;
  expect(await readFile(path, "utf8")).not.toContain("canary");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await using second = chatScreen(bench);
  await second.shows("safe> ");
  // Up twice: over /exit.
  second.type("\u001B[A\u001B[A");
  await second.shows("what is ");
});
