import { setTimeout as sleep } from "node:timers/promises";
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { HostLink, type HostApp, type HostLinkOptions } from "../../src/handlers/host-link.ts";
import { rawHost } from "../support/raw-host.ts";
import { RecordedWire } from "../support/recorded-wire.ts";

const FACTS = { image: true };
const INITIALIZE = { jsonrpc: "2.0", id: 7, method: "initialize", params: { protocolVersion: 1 } };
const NEXT = { jsonrpc: "2.0", id: 8, method: "session/list", params: {} };
const WELCOME = { protocolVersion: 1 };

/** A link whose library is loaded when the test says so, and then reads nothing by itself. */
function bench(options: Partial<HostLinkOptions> = {}) {
  const wire = new RecordedWire();
  const writer = wire.hostSide.writable.getWriter();
  let loaded = (): void => undefined;
  let close = (): void => undefined;
  const [gate, ended] = [
    new Promise<void>((resolve) => (loaded = resolve)),
    new Promise<void>((resolve) => (close = resolve)),
  ];
  const given: { stream?: Stream; facts?: unknown } = {};
  const app: HostApp = { closed: ended, close, closeSessions: () => Promise.resolve() };
  const link = new HostLink(wire.agentSide, {
    welcome: () => Promise.resolve({ facts: FACTS, result: WELCOME }),
    load: async (stream, facts) => {
      Object.assign(given, { stream, facts });
      await gate;
      return app;
    },
    ...options,
  });
  const reader = wire.hostSide.readable.getReader();
  return {
    link,
    given,
    loaded,
    appClosed: ended,
    say: (message: object) => void writer.write(message as AnyMessage),
    hear: async () => (await reader.read()).value,
    leave: () => void writer.close(),
  };
}

function libraryOf({ given }: ReturnType<typeof bench>) {
  const { stream } = given;
  if (stream === undefined) throw new Error("The library was not loaded.");
  const [reader, writer] = [stream.readable.getReader(), stream.writable.getWriter()];
  return {
    reads: async () => (await reader.read()).value as unknown,
    writes: (message: object) => writer.write(message as AnyMessage),
  };
}

test("a greeting is answered before anything is loaded", async () => {
  const it = bench();
  it.say(INITIALIZE);
  expect(await it.hear()).toEqual({ jsonrpc: "2.0", id: 7, result: WELCOME });
  await expect.poll(() => it.given).toMatchObject({ facts: FACTS });
});

test("the library gets the greeting too; its answer is not sent, and what came behind waits for it", async () => {
  const it = bench();
  it.say(INITIALIZE);
  it.say(NEXT);
  await it.hear();
  await expect.poll(() => it.given.stream).toBeDefined();
  const library = libraryOf(it);
  expect(await library.reads()).toEqual(INITIALIZE);
  let next: unknown;
  const read = library.reads().then((message) => (next = message));
  await sleep(20);
  expect(next).toBeUndefined();
  await library.writes({ jsonrpc: "2.0", id: 7, result: WELCOME });
  await read;
  expect(next).toEqual(NEXT);
  // The same id once more is another answer.
  void library.writes({ jsonrpc: "2.0", id: 7, result: { second: true } });
  expect(await it.hear()).toMatchObject({ result: { second: true } });
});

test.each([
  ["another method", NEXT],
  ["no version", { ...INITIALIZE, params: {} }],
  ["a version that is none", { ...INITIALIZE, params: { protocolVersion: -1 } }],
  ["a version beyond the last one", { ...INITIALIZE, params: { protocolVersion: 65_536 } }],
  ["a broken version", { ...INITIALIZE, params: { protocolVersion: 1.5 } }],
  ["no id", { ...INITIALIZE, id: undefined }],
  ["an id that is null", { ...INITIALIZE, id: null }],
])("%s is left to the library, which answers it itself", async (_name, message) => {
  const it = bench();
  it.say(message);
  await expect.poll(() => it.given.stream).toBeDefined();
  expect(it.given.facts).toBeUndefined();
  const library = libraryOf(it);
  expect(await library.reads()).toEqual(message);
  void library.writes({ jsonrpc: "2.0", id: 7, error: { code: -32602, message: "No." } });
  expect(await it.hear()).toMatchObject({ error: { code: -32602 } });
});

test("a greeting that cannot be answered at once is left to the library", async () => {
  const it = bench({ welcome: () => Promise.reject(new Error("no facts")) });
  it.say(INITIALIZE);
  await expect.poll(() => it.given.stream).toBeDefined();
  const library = libraryOf(it);
  expect(await library.reads()).toEqual(INITIALIZE);
  void library.writes({ jsonrpc: "2.0", id: 7, error: { code: -32603, message: "No." } });
  expect(await it.hear()).toMatchObject({ error: { code: -32603 } });
});

test("a host that leaves while the library is loaded need not wait for it", async () => {
  const it = bench();
  it.say(INITIALIZE);
  await it.hear();
  it.leave();
  await it.link.closed;
});

test("a host that says nothing loads nothing", async () => {
  const it = bench();
  it.leave();
  await it.link.closed;
  expect(it.given.stream).toBeUndefined();
});

test("a link that is closed while the library is loaded closes the library, too", async () => {
  const it = bench();
  it.say(INITIALIZE);
  await it.hear();
  await expect.poll(() => it.given.stream).toBeDefined();
  it.link.close();
  await it.link.closed;
  it.loaded();
  await it.appClosed;
});

test("a library that cannot be loaded is told to whoever serves", async () => {
  const it = bench({ load: () => Promise.reject(new Error("not there")) });
  it.say(INITIALIZE);
  void it.hear();
  await expect(it.link.closed).rejects.toThrow("not there");
});

test("what a host says right behind its greeting is served", async () => {
  await using host = await rawHost({ steps: [] });
  const [greeted, listed] = [
    host.ask("initialize", { protocolVersion: 1 }),
    host.ask("session/list", {}),
  ];
  expect(await greeted).toHaveProperty("result");
  expect(await listed).toMatchObject({ result: { sessions: [] } });
  expect(host.sent.map((message) => ("id" in message ? message.id : undefined))).toEqual([
    "r1",
    "r2",
  ]);
});

test.each([
  ["nothing", {}],
  ["a terminal to sign in", { clientCapabilities: { auth: { terminal: true } } }],
  ["what has no meaning", { clientCapabilities: { auth: 7 }, clientInfo: [], _meta: "x" }],
])("the answer that is given at once is the library's own: %s", async (_name, said) => {
  const greet = () => Promise.resolve({ image: false, missingCredentials: "Set a key." });
  await using host = await rawHost({ steps: [], server: { greet } });
  const first = await host.ask("initialize", { protocolVersion: 1, ...said });
  const again = await host.ask("initialize", { protocolVersion: 1, ...said });
  expect(first.result).toBeDefined();
  expect(again.result).toEqual(first.result);
});
