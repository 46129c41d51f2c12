import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { ApprovalRequest, SessionHost } from "@acumen/agent";
import { expect, test } from "vitest";
import type { InputStream } from "../../src/command-context.ts";
import { terminalHost } from "../../src/run/terminal-host.ts";
import { createTerminal } from "../../src/terminal/terminal.ts";

interface Person {
  readonly host: SessionHost;
  readonly givenUp: unknown[];
  readonly type: (text: string) => Promise<void>;
  readonly shown: () => string;
}

function person(): Person {
  const raw = { isTTY: true, setRawMode: () => undefined };
  const input = Object.assign(new PassThrough(), raw);
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  let shown = "";
  output.on("data", (chunk: Buffer) => (shown += chunk.toString("utf8")));
  const givenUp: unknown[] = [];
  return {
    givenUp,
    host: terminalHost({
      context: { stdin: () => input as unknown as InputStream, stderr: output },
      terminal: createTerminal(output, { color: false }),
      onGivenUp: (reason) => givenUp.push(reason),
      breakLine: () => undefined,
    }),
    type: async (text) => {
      for (const key of text) {
        await sleep(2);
        input.write(key);
      }
    },
    shown: () => shown,
  };
}

const REQUEST: ApprovalRequest = {
  sessionId: "s",
  turnId: "t",
  callId: "c",
  tool: "bash",
  origin: { type: "builtin" },
  kind: "execute",
  risk: "execute",
  title: "npm test",
  command: "npm test",
  cwd: "/work/site",
  paths: [],
  diff: [],
  input: "{}",
  options: ["allow_once", "allow_always", "reject_once", "reject_always"],
  alwaysCovers: "exactly this command",
  reason: "mode safe asks for commands",
};

test.each([
  ["\r", "allow_once"],
  ["j\r", "allow_always"],
  ["jj\r", "reject_once"],
  ["jjj\r", "reject_always"],
])("the keys %j answer %s", async (keys, expected) => {
  const { host, type, shown } = person();
  const answer = host.approvals?.request(REQUEST, new AbortController().signal);
  // The question stands when its last option is drawn.
  while (!shown().includes("never in this session")) await sleep(5);
  const before = shown();
  await type(keys);
  // What "always" covers is there before it is chosen.
  expect(before).toContain("always in this session: exactly this command");
  expect(await answer).toBe(expected);
  expect(shown()).toContain("$ npm test");
});

test("Ctrl-C gives up the whole turn", async () => {
  const { host, type, shown, givenUp } = person();
  const answer = host.approvals?.request(REQUEST, new AbortController().signal);
  const outcome = expect(answer).rejects.toMatchObject({ code: "CLI_INTERRUPTED" });
  while (!shown().includes("never in this session")) await sleep(5);
  await type("\u0003");
  await outcome;
  expect(givenUp).toEqual([expect.objectContaining({ details: { signal: "SIGINT" } })]);
});

test("the end of the turn ends the question, and nobody gave up", async () => {
  const { host, shown, givenUp } = person();
  const controller = new AbortController();
  const answer = host.approvals?.request(REQUEST, controller.signal);
  const outcome = expect(answer).rejects.toThrow();
  while (!shown().includes("never in this session")) await sleep(5);
  controller.abort();
  await outcome;
  expect(givenUp).toEqual([]);
});

test("a question of the model takes words, or one of its options, or other words", async () => {
  const { host, type, shown } = person();
  const { signal } = new AbortController();
  const ask = { sessionId: "s", callId: "c", question: "Which \u001B[2Jport?" };
  const free = host.questions?.ask({ ...ask, options: [] }, signal);
  while (!shown().includes("port?")) await sleep(5);
  await type("8080\r");
  expect(await free).toBe("8080");
  const chosen = host.questions?.ask({ ...ask, options: ["one", "two"] }, signal);
  while (!shown().includes("Something else")) await sleep(5);
  await type("j\r");
  expect(await chosen).toBe("two");
  const other = host.questions?.ask({ ...ask, options: ["four", "five"] }, signal);
  while (shown().split("Something else").length < 4) await sleep(5);
  await type("jj\r");
  while (!shown().includes("Your answer")) await sleep(5);
  await type("six\r");
  expect(await other).toBe("six");
  expect(shown()).not.toContain("\u001B[2Jport");
});
