import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { call, connections, script, stdio, textOf } from "./support/connect.ts";

const never = new AbortController().signal;

describe("openConnection over stdio", () => {
  it("connects, lists, calls and closes", async () => {
    await using all = connections();
    const connection = await all.connect(stdio("well", {}, { instructions: "Be kind." }));
    expect(connection).toMatchObject({
      transport: "stdio",
      protocolVersion: "2025-11-25",
      instructions: "Be kind.",
    });
    const listed = await connection.listTools(never);
    expect(listed.ok && listed.tools.map(({ name }) => name)).toEqual(["echo", "environment"]);
    expect(textOf(await call(connection, "echo", { text: "hello" }))).toBe("hello");
    await connection.close();
    await connection.close();
    expect(await call(connection, "echo")).toMatchObject({ ok: false, kind: "not_sent" });
  });

  it("tells the server who it is and what it can do, with one greeting", async () => {
    await using all = connections();
    const connection = await all.connect(script("mirror"));
    const { initialize, methods } = JSON.parse(textOf(await call(connection, "seen"))) as {
      initialize: { clientInfo: { name: string; version: string }; capabilities: object };
      methods: string[];
    };
    expect(initialize.clientInfo).toEqual({
      name: "acumen",
      version: expect.stringMatching(/^\d/),
    });
    expect(initialize.capabilities).toEqual({ roots: {} });
    expect(methods).toEqual(["initialize", "notifications/initialized", "tools/call"]);
  });

  it("answers pings and the question for roots, and refuses what it never declared", async () => {
    await using all = connections();
    const roots = ["/first folder", "/second"];
    const connection = await all.connect(stdio("server-requests"), { roots });
    expect(JSON.parse(textOf(await call(connection, "echo")))).toEqual({
      ping: { result: {} },
      "roots/list": {
        result: {
          roots: [
            { uri: pathToFileURL("/first folder").href, name: "first folder" },
            { uri: pathToFileURL("/second").href, name: "second" },
          ],
        },
      },
      "sampling/createMessage": { error: -32601 },
      "elicitation/create": { error: -32601 },
      "nobody/knows": { error: -32601 },
    });
  });

  it("takes a greeting with nulls and without a name", async () => {
    await using all = connections();
    const connection = await all.connect(script("mirror", ["sparse-greeting"]));
    expect(connection.instructions).toBeUndefined();
    expect(textOf(await call(connection, "seen"))).toContain("initialize");
  });

  it.each([
    ["exit-at-start", "exited", /exited with code 3\. It wrote to stderr: config file not found/],
    ["killed-at-start", "exited", /was ended by SIGKILL/],
    ["initialize-error", "protocol", /refused the greeting: licence expired \(-32603\)/],
    ["initialize-nonsense", "protocol", /not MCP/],
    ["future-version", "protocol", /speaks version 2099-01-01 of the protocol/],
  ] as const)("says why a server that does %s is not connected", async (mode, kind, message) => {
    await using all = connections();
    const failure = await all.fail(stdio(mode));
    expect(failure).toEqual({ kind, message: expect.stringMatching(message) });
    expect(failure.message).toMatch(/^The MCP server "peer" /);
  });

  it("names a command that is not there", async () => {
    await using all = connections();
    const failure = await all.fail(stdio("well", { command: "no-such-mcp-server" }));
    expect(failure.kind).toBe("not_started");
    expect(failure.message).toMatch(/Is "no-such-mcp-server" installed and on PATH\?/);
  });

  it("gives up when the time for the start is over, and shows what the server printed", async () => {
    await using all = connections();
    const failure = await all.fail(script("mirror", ["shell"], { startupTimeoutMs: 700 }));
    expect(failure.kind).toBe("timeout");
    expect(failure.message).toMatch(/within 700 ms\..*"startupTimeoutMs"/);
    expect(failure.message).toContain("Welcome to the shell");
  });

  it("throws the abort's error and leaves no process", async () => {
    await using all = connections();
    const abort = new AbortController();
    const opening = all.open(stdio("never-initializes"), { signal: abort.signal });
    const failed = expect(opening).rejects.toMatchObject({ code: "CORE_ABORTED" });
    setTimeout(() => abort.abort(), 100);
    await failed;
  });
});
