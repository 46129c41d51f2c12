import { startProcess } from "@acumen/testkit";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { McpConnection } from "../../../src/mcp/connection/mcp-connection.ts";
import { readListedTool } from "../../../src/mcp/tools/read-listed-tool.ts";
import { call, connections, remote, script, textOf } from "./support/connect.ts";

const never = new AbortController().signal;
const FILE = fileURLToPath(new URL("support/sdk-server.mjs", import.meta.url));

async function works(connection: McpConnection): Promise<void> {
  expect(connection.instructions).toBe("Repeats what it is told.");
  const listed = await connection.listTools(never);
  expect(listed.ok && listed.tools.map((tool) => readListedTool(tool))).toMatchObject([
    {
      ok: true,
      facts: {
        name: "repeat",
        description: "Says a text several times",
        inputSchema: { type: "object", required: ["text"] },
        hints: { readOnlyHint: true },
      },
    },
  ]);
  const answer = await call(connection, "repeat", { text: "größer ", times: 2 });
  expect(textOf(answer)).toBe("größer größer ");
  expect(answer).toMatchObject({ ok: true, result: { structuredContent: { length: 14 } } });
  expect(await call(connection, "repeat", { text: "a", times: 101 })).toMatchObject({
    ok: true,
    result: { isError: true, content: [{ text: expect.stringContaining("too often") }] },
  });
  expect(await call(connection, "nowhere")).toMatchObject({ ok: false, kind: "refused" });
}

test("a server of the SDK over stdio: with a handshake", async () => {
  await using all = connections();
  const connection = await all.connect(script("sdk-server", ["stdio"]));
  expect(connection.protocolVersion).toBe("2025-11-25");
  await works(connection);
});

test("a server of the SDK over HTTP: without a handshake", async () => {
  await using server = startProcess({ command: process.execPath, args: [FILE, "http"] });
  await server.waitFor("stdout", /\d+\n/, 50_000);
  await using all = connections();
  const connection = await all.connect(remote(`http://127.0.0.1:${server.stdout().trim()}/mcp`));
  expect(connection.protocolVersion).toBe("2026-07-28");
  await works(connection);
});
