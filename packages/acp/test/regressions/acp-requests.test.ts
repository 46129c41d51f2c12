import type { ContentBlock } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { hostBench } from "../support/host-bench.ts";
import { rawHost } from "../support/raw-host.ts";

// Reports on other agents of the protocol; the numbers are those of the list that was gathered before the server was built.

test("reports 44, 45: links and embedded resources are taken, and the model sees them", async () => {
  await using bench = await hostBench({
    steps: [{ text: "Seen.", expect: { lastUserIncludes: "text of the resource" } }],
  });
  const { host, cwd, initialized, model } = bench;
  expect(initialized.agentCapabilities?.promptCapabilities?.embeddedContext).toBe(true);
  const { sessionId } = await host.request("session/new", { cwd, mcpServers: [] });
  const prompt: ContentBlock[] = [
    { type: "resource_link", uri: "file:///elsewhere/linked.md", name: "linked.md" },
    {
      type: "resource",
      resource: { uri: "file:///elsewhere/a.md", text: "text of the resource" },
    },
  ];
  expect(await host.request("session/prompt", { sessionId, prompt })).toEqual({
    stopReason: "end_turn",
  });
  expect(JSON.stringify(model.calls[0]?.prompt)).toContain("file:///elsewhere/linked.md");
});

test("report 51: servers that are dead do not hold up a new session", async () => {
  await using bench = await hostBench({ steps: [] });
  const { host, cwd } = bench;
  const at = performance.now();
  const { sessionId } = await host.request("session/new", {
    cwd,
    mcpServers: [
      { name: "gone", command: "/nowhere/server", args: [], env: [] },
      { type: "http", name: "silent", url: "http://192.0.2.1/mcp", headers: [] },
    ],
  });
  expect(sessionId).toBeTypeOf("string");
  expect(performance.now() - at).toBeLessThan(3_000);
});

test("report 52: servers of every kind that is advertised are taken", async () => {
  await using bench = await hostBench({ steps: [] });
  const { host, cwd, initialized } = bench;
  expect(initialized.agentCapabilities?.mcpCapabilities).toEqual({ http: true, sse: true });
  const seen: unknown[] = [];
  await using watched = await hostBench({
    steps: [],
    agent: {
      mcp: {
        sourceFor: (_workspace, mcpHost) => {
          seen.push(mcpHost?.servers);
          return {
            resolve: () =>
              Promise.resolve({ servers: [], files: { machine: "", workspace: "" }, problems: [] }),
            stamp: () => Promise.resolve(""),
          };
        },
      },
    },
  });
  await watched.host.request("session/new", {
    cwd: watched.cwd,
    mcpServers: [
      { name: "a", command: "server", args: ["x"], env: [{ name: "K", value: "v" }] },
      { type: "http", name: "b", url: "http://127.0.0.1/b", headers: [{ name: "H", value: "v" }] },
      { type: "sse", name: "c", url: "http://127.0.0.1/c", headers: [] },
    ],
  });
  expect(seen).toEqual([
    {
      a: { type: "stdio", command: "server", args: ["x"], env: { K: "v" } },
      b: { type: "http", url: "http://127.0.0.1/b", headers: { H: "v" } },
      c: { type: "sse", url: "http://127.0.0.1/c", headers: {} },
    },
  ]);
  expect(await host.request("session/new", { cwd, mcpServers: [] })).toBeDefined();
});

test("report 54: a host may leave out its MCP servers", async () => {
  await using host = await rawHost({ steps: [] });
  await host.ask("initialize", { protocolVersion: 1 });
  for (const servers of [{}, { mcpServers: {} }, { mcpServers: null }]) {
    const { result } = await host.ask("session/new", { cwd: host.cwd, ...servers });
    expect(result).toHaveProperty("sessionId");
  }
  const { error } = await host.ask("session/new", { cwd: host.cwd, mcpServers: "none" });
  expect(error).toMatchObject({ code: -32602, data: { mcpServers: {} } });
});

test("reports 56, 57: there is nothing to log in to with a key, and no id of a login is taken", async () => {
  await using bench = await hostBench({ steps: [], capabilities: { auth: { terminal: true } } });
  const { host, initialized } = bench;
  expect(initialized.authMethods).toEqual([]);
  for (const methodId of ["", "any", "acumen-setup"]) {
    await expect(host.request("authenticate", { methodId })).rejects.toMatchObject({
      code: -32602,
    });
  }
  expect(bench.faults).toEqual([]);
});

test("report 57: the one login of an agent without keys is the protocol's terminal method, for hosts that have it", async () => {
  const server = {
    greet: () => Promise.resolve({ image: false, missingCredentials: "Set a key." }),
  };
  await using bench = await hostBench({
    steps: [],
    server,
    capabilities: { auth: { terminal: true } },
  });
  expect(bench.initialized.authMethods).toEqual([
    {
      type: "terminal",
      id: "acumen-setup",
      name: expect.any(String),
      description: expect.any(String),
      args: expect.any(Array),
    },
  ]);
  expect(bench.faults).toEqual([]);
  await using without = await hostBench({ steps: [], server });
  expect(without.initialized.authMethods).toEqual([]);
});
