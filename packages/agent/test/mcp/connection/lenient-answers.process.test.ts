import { silentLogger, systemClock } from "@acumen/core";
import { describe, expect, it } from "vitest";
import type { StdioDefinition } from "../../../src/mcp/config/server-definition.ts";
import { McpConnectionHandle } from "../../../src/mcp/connection/mcp-connection-handle.ts";
import { openConnection } from "../../../src/mcp/connection/open-connection.ts";
import type { McpStatusChange } from "../../../src/mcp/mcp-status.ts";
import { readListedTool } from "../../../src/mcp/tools/read-listed-tool.ts";
import { resolvedServer } from "../live/changing-source.ts";
import { call, closedOf, connections, stdio } from "./support/connect.ts";

const never = new AbortController().signal;
const SOON_MS = 10_000;

describe("answers over stdio", () => {
  it("with nulls around them are results", async () => {
    await using all = connections();
    const connection = await all.connect(stdio("null-fields"));
    const text = "nulls around me";
    expect(await call(connection, "echo")).toEqual({
      ok: true,
      result: {
        content: [{ type: "text", text, annotations: null, _meta: null }],
        structuredContent: null,
        isError: null,
      },
    });
  });

  it.each([
    ["null-result", /no object/],
    ["deep-result", /deeper than 100000 levels/],
  ] as const)("%s is refused at once, and the next call works", async (mode, message) => {
    await using all = connections();
    const connection = await all.connect(stdio(mode));
    const begun = performance.now();
    expect(await call(connection, "echo")).toEqual({
      ok: false,
      kind: "refused",
      mayHaveRun: true,
      message: expect.stringMatching(message),
    });
    expect(performance.now() - begun).toBeLessThan(SOON_MS);
    expect(await call(connection, "environment")).toMatchObject({ ok: true });
  });

  it("cost one tool when that is nested without end, not the list", async () => {
    await using all = connections();
    const connection = await all.connect(stdio("deep-input-schema"));
    const listed = await connection.listTools(never);
    expect(listed.ok && listed.tools.map((tool) => readListedTool(tool))).toMatchObject([
      { ok: true, facts: { name: "echo" } },
      { ok: true, facts: { name: "environment" } },
      { ok: false, tool: "bad", reason: expect.stringMatching(/deeper than 200 levels/) },
    ]);
  });
});

describe("a server that was ended for what it sent", () => {
  it("is told from one that does not speak the protocol", async () => {
    await using all = connections();
    const connection = await all.connect(stdio("message-over-64-mib"));
    const closed = closedOf(connection);
    expect(await call(connection, "echo")).toMatchObject({ ok: false, kind: "too_large" });
    expect(await closed).toEqual({
      kind: "too_large",
      message: 'The MCP server "peer" sent a message of more than 64 MiB. It was ended for that.',
    });
    const mute = await all.connect(stdio("closes-stdout"));
    const ended = closedOf(mute);
    expect(await call(mute, "echo")).toMatchObject({ ok: false, kind: "closed" });
    expect(await ended).toMatchObject({ kind: "exited" });
  });

  it("is started again", async () => {
    await using all = connections();
    const definition = stdio("message-over-64-mib") as StdioDefinition;
    const changes: McpStatusChange[] = [];
    const handle = new McpConnectionHandle(resolvedServer("peer", definition), {
      open: (server, signal) => openConnection(server, { ...all.context, signal }),
      read: () => ({
        names: ["echo"],
        quarantined: [],
        get: () => ({ identity: "id", tool: undefined as never }),
      }),
      onOffer: () => undefined,
      onChange: (change) => changes.push(change),
      safe: (text) => text,
      clock: systemClock,
      logger: silentLogger,
      restarts: { delaysMs: [5], windowMs: 300_000, healthyMs: 60_000 },
    });
    try {
      handle.follow(handle.server, false);
      await handle.settled();
      const answer = await handle.call({ name: "echo", identity: "id" }, {}, { signal: never });
      expect(answer).toMatchObject({ ok: false, kind: expect.stringMatching(/too_large|closed/) });
      await expect
        .poll(() => changes.map(({ state }) => state))
        .toEqual(["connecting", "connected", "error", "connecting", "connected"]);
      expect(changes[2]?.reason).toMatch(/^Restart 1 of 1 .*more than 64 MiB/);
    } finally {
      await handle.close();
    }
  });
});
