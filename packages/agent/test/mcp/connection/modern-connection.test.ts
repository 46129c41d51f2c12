import { describe, expect, it } from "vitest";
import { call, connections, remote, textOf } from "./support/connect.ts";
import { startModernServer } from "./support/modern-server.ts";

const never = new AbortController().signal;
const good = { name: "good", inputSchema: { type: "object" } };

describe("a server without a handshake", () => {
  it("is asked what it speaks, and every request says the rest", async () => {
    await using server = await startModernServer();
    await using all = connections();
    const connection = await all.connect(remote(server.url, { headers: { "x-key": "k" } }));
    expect(connection).toMatchObject({ protocolVersion: "2026-07-28", instructions: "Modern." });
    expect(textOf(await call(connection, "good", { a: 1 }))).toBe("modern");
    const called = server.requests.find(({ method }) => method === "tools/call");
    expect(called?.params).toMatchObject({
      name: "good",
      arguments: { a: 1 },
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    });
    expect(called?.headers).toMatchObject({
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "good",
      "x-key": "k",
    });
    expect(server.requests.map(({ method }) => method)).not.toContain("initialize");
  });

  it("keeps its good tools and its results, whatever is wrong with others", async () => {
    await using server = await startModernServer();
    server.tools = [good, { name: "bad", inputSchema: null }, { inputSchema: 7 }, "no tool"];
    await using all = connections();
    const connection = await all.connect(remote(server.url));
    expect(await connection.listTools(never)).toEqual({
      ok: true,
      tools: server.tools.slice(0, 3),
      incomplete: expect.stringMatching(/^1 entries/),
    });
    // Without `resultType`, with an unknown block and nulls.
    server.result = {
      content: [{ type: "hologram" }, { type: "text", text: null }],
      isError: null,
    };
    expect(await call(connection, "good")).toEqual({ ok: true, result: server.result });
  });

  it("is refused what it asks for in an answer", async () => {
    await using server = await startModernServer();
    const ask = { method: "elicitation/create", params: { message: "Your password?" } };
    server.result = { resultType: "input_required", inputRequests: { a: ask } };
    await using all = connections();
    const connection = await all.connect(remote(server.url));
    expect(await call(connection, "good")).toMatchObject({
      ok: false,
      kind: "refused",
      message: expect.stringMatching(/asks for input .*\(elicitation\/create\)/),
    });
  });

  it("is told of an abort by the end of the stream", async () => {
    await using server = await startModernServer();
    server.result = "hang";
    await using all = connections();
    const connection = await all.connect(remote(server.url));
    const abort = new AbortController();
    const calling = call(connection, "good", {}, { signal: abort.signal });
    const calls = (): number => server.requests.filter((it) => it.method === "tools/call").length;
    await expect.poll(calls).toBe(1);
    abort.abort();
    await expect(calling).rejects.toMatchObject({ code: "CORE_ABORTED" });
    await expect.poll(() => server.closed.length).toBe(1);
  });

  it("tells of changed tools although it never declared that it would", async () => {
    await using server = await startModernServer();
    await using all = connections();
    const connection = await all.connect(remote(server.url));
    let changes = 0;
    connection.onToolsChanged(() => (changes += 1));
    await expect.poll(() => server.listeners()).toBe(1);
    for (let index = 0; index < 20; index += 1) server.notify("notifications/tools/list_changed");
    await expect.poll(() => changes).toBe(1);
    await connection.close();
    await expect.poll(() => server.listeners()).toBe(0);
  });

  it("gets the arguments that it wants to see in headers", async () => {
    await using server = await startModernServer();
    const properties = {
      region: { type: "string", "x-mcp-header": "Region" },
      page: { type: "integer", "x-mcp-header": "Page" },
      deep: { type: "object", properties: { note: { type: "string", "x-mcp-header": "Note" } } },
      other: { type: "string", "x-mcp-header": "not a token" },
    };
    server.tools = [{ name: "good", inputSchema: { type: "object", properties } }];
    await using all = connections();
    const connection = await all.connect(remote(server.url));
    await connection.listTools(never);
    const args = { region: "eu", page: 2, deep: { note: "grüße" }, other: "x" };
    await call(connection, "good", args);
    const called = server.requests.find(({ method }) => method === "tools/call");
    const headers = Object.entries(called?.headers ?? {});
    const ofParams = headers.filter(([name]) => name.startsWith("mcp-param-"));
    expect(Object.fromEntries(ofParams)).toEqual(
      Object.fromEntries([
        ["mcp-param-note", `=?base64?${Buffer.from("grüße").toString("base64")}?=`],
        ["mcp-param-page", "2"],
        ["mcp-param-region", "eu"],
      ]),
    );
  });
});
