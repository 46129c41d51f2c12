import { expect, test } from "vitest";
import { rawHost } from "../support/raw-host.ts";

test.each([
  ["session/new without MCP servers", {}],
  ["MCP servers as an empty object", { mcpServers: {} }],
  ["MCP servers as null", { mcpServers: null }],
])("%s means none", async (_name, servers) => {
  await using host = await rawHost({ steps: [] });
  await host.ask("initialize", { protocolVersion: 1 });
  const { cwd } = host;
  const { result } = await host.ask("session/new", { cwd, ...servers });
  const { sessionId } = result as { sessionId: string };
  for (const method of ["session/load", "session/resume"]) {
    expect(await host.ask(method, { sessionId, cwd, ...servers }), method).toHaveProperty("result");
  }
  expect(host.faults).toEqual([]);
});

test("MCP servers of another shape are refused with their place", async () => {
  await using host = await rawHost({ steps: [] });
  await host.ask("initialize", { protocolVersion: 1 });
  const { cwd } = host;
  for (const mcpServers of [{ one: { command: "x" } }, "none", [{ name: "x", command: "y" }]]) {
    const { error } = await host.ask("session/new", { cwd, mcpServers });
    expect(error).toMatchObject({ code: -32602, data: { mcpServers: {} } });
  }
});

test.each([[undefined], [null], [[]], [{}]])("%j is no parameters", async (params) => {
  await using host = await rawHost({ steps: [] });
  await host.ask("initialize", { protocolVersion: 1 });
  expect((await host.ask("session/list", params)).result).toEqual({ sessions: [] });
  expect((await host.ask("session/new", params)).error).toMatchObject({
    code: -32602,
    data: { cwd: {} },
  });
});

test("what is no message is answered without an id, sends nothing back, and the connection goes on", async () => {
  await using host = await rawHost({ steps: [] });
  await host.ask("initialize", { protocolVersion: 1 });
  const deep = JSON.parse(`${"[".repeat(4_000)}"sk-secret"${"]".repeat(4_000)}`) as unknown;
  const wrong = [
    "text",
    5,
    null,
    {},
    { method: "session/new", id: 1, key: "sk-secret" },
    { jsonrpc: "1.0", method: "session/new", id: 1, key: "sk-secret" },
    { jsonrpc: "2.0", method: 5, id: 1, params: deep },
    { jsonrpc: "2.0", method: "session/new", id: {}, params: deep },
    { jsonrpc: "2.0", method: "session/new", id: Number.NaN },
    [{ jsonrpc: "2.0", method: "session/list", id: 1 }],
  ];
  for (const message of wrong) await host.write(message);
  expect((await host.ask("session/list")).result).toEqual({ sessions: [] });
  expect(host.anonymous.map(({ error }) => error?.code)).toEqual(wrong.map(() => -32600));
  expect(JSON.stringify(host.anonymous)).not.toContain("sk-secret");
});

test("answers that nobody asked for, and notifications that nobody knows, are left alone", async () => {
  await using host = await rawHost({ steps: [] });
  await host.ask("initialize", { protocolVersion: 1 });
  await host.write({ jsonrpc: "2.0", id: 77, result: {} });
  await host.write({ jsonrpc: "2.0", id: 78, error: "none" });
  await host.write({ jsonrpc: "2.0", method: "_own/notification", params: { a: 1 } });
  await host.write({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId: 5 } });
  await host.write({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId: "none" } });
  await host.write({ jsonrpc: "2.0", method: "$/cancel_request", params: { requestId: "r99" } });
  expect((await host.ask("session/list")).result).toEqual({ sessions: [] });
  expect(host.sent).toHaveLength(2);
});
