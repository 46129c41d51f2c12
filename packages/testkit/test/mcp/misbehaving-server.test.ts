import { expect, test } from "vitest";
import {
  MISBEHAVING_MODES,
  type MisbehavingMode,
  misbehavingServer,
  startProcess,
  tempFolder,
  type TestProcess,
} from "../../src/index.ts";
import { readFile } from "node:fs/promises";

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: {} },
};
const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const ECHO = {
  jsonrpc: "2.0",
  id: 2,
  method: "tools/call",
  params: { name: "echo", arguments: { text: "hello" } },
};

function start(...modes: readonly MisbehavingMode[]): TestProcess {
  return startProcess(misbehavingServer(modes), { env: { SERVER_SECRET: "the-secret-value" } });
}

function send(server: TestProcess, ...messages: readonly unknown[]): void {
  for (const message of messages) server.child.stdin.write(`${JSON.stringify(message)}\n`);
}

test("the list of modes is the list of the script", async () => {
  const { command, args } = misbehavingServer("well");
  await using script = startProcess({ command, args: [args[0] ?? "", "--modes"] });
  await script.exited;
  expect(JSON.parse(script.stdout())).toEqual(MISBEHAVING_MODES);
});

test("without a fault it greets, lists, calls, and ends with its stdin", async () => {
  await using server = start("well");
  send(server, INITIALIZE, LIST, ECHO);
  await server.waitFor("stdout", '"id":2');
  const [greeting, list, echo] = server
    .stdout()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { result: Record<string, unknown> });
  expect(greeting?.result).toMatchObject({ protocolVersion: "2025-11-25" });
  expect(list?.result).toMatchObject({ tools: [{ name: "echo" }, { name: "environment" }] });
  expect(echo?.result).toEqual({ content: [{ type: "text", text: "hello" }] });
  server.child.stdin.end();
  expect(await server.exited).toEqual({ code: 0, signal: null });
});

test("faults add up", async () => {
  await using server = start("byte-order-mark", "crlf-line-ends", "id-as-string");
  send(server, INITIALIZE);
  await server.waitFor("stdout", "\n");
  expect(server.stdout()).toMatch(/^\uFEFF\{.*"id":"0".*\}\r\n$/);
});

test("what the server saw is in its log", async () => {
  await using folder = await tempFolder();
  const log = folder.join("server.log");
  await using server = startProcess(misbehavingServer("hang-in-call", { log }));
  send(server, INITIALIZE, ECHO, {
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: 2 },
  });
  server.child.stdin.end();
  await server.exited;
  const events = (await readFile(log, "utf8")).trim().split("\n");
  expect(events.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual([
    "started",
    "received",
    "received",
    "received",
    "cancelled",
    "stdin ended",
  ]);
});

test("a server that dies says why on stderr", async () => {
  await using server = start("exit-at-start");
  expect((await server.exited).code).toBe(3);
  expect(server.stderr()).toContain("last words");
});

test("stdout can close while the process lives", async () => {
  await using server = start("closes-stdout");
  send(server, INITIALIZE, ECHO);
  await new Promise((resolve) => server.child.stdout.once("close", resolve));
  expect(server.child.exitCode).toBe(null);
});
