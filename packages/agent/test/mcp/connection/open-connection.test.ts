import { startMisbehavingHttpServer } from "@acumen/testkit";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { call, connections, remote, textOf } from "./support/connect.ts";

const never = new AbortController().signal;

describe("openConnection over HTTP", () => {
  it.each(["well", "well-streaming", "no-session-id"] as const)(
    "speaks to a server that is %s",
    async (mode) => {
      await using server = await startMisbehavingHttpServer(mode);
      await using all = connections();
      const connection = await all.connect(remote(server.url));
      const listed = await connection.listTools(never);
      expect(listed.ok && listed.tools.map(({ name }) => name)).toEqual(["echo", "headers"]);
      expect(textOf(await call(connection, "echo", { text: "hello" }))).toBe("hello");
    },
  );

  it.each([
    [
      "unauthorized",
      "needs_auth",
      /HTTP 401\. Add a header such as `Authorization`.*sign-in is not/,
    ],
    ["forbidden", "needs_auth", /HTTP 403/],
    ["server-error", "unreachable", /HTTP 500 \(Internal Server Error: worker 3 died\)/],
    ["html", "protocol", /text\/html instead of JSON/],
    ["sse-only", "protocol", /Use "type": "sse" in its definition/],
    ["redirect-to-other-origin", "unreachable", /HTTP 307/],
  ] as const)("says why a server that is %s is not connected", async (mode, kind, message) => {
    await using server = await startMisbehavingHttpServer(mode);
    await using all = connections();
    const failure = await all.fail(remote(server.url));
    expect(failure).toEqual({ kind, message: expect.stringMatching(message) });
  });

  it("tells whoever gave a key already to look at it", async () => {
    await using server = await startMisbehavingHttpServer("unauthorized");
    await using all = connections();
    const headers = { authorization: "Bearer wrong-key-1234" };
    const failure = await all.fail(remote(server.url, { headers }));
    expect(failure.message).toContain("Check the `Authorization` header");
    expect(failure.message).not.toContain("wrong-key");
  });

  it("gives up on a server that never answers", async () => {
    await using server = await startMisbehavingHttpServer("hang");
    await using all = connections();
    const failure = await all.fail(remote(server.url, { startupTimeoutMs: 600 }));
    expect(failure).toMatchObject({ kind: "timeout" });
  });

  it("names a port where nobody listens, for both ways over HTTP", async () => {
    const server = await startMisbehavingHttpServer("well");
    const { url } = server;
    await server.close();
    await using all = connections();
    const http = await all.fail(remote(url));
    expect(http).toEqual({ kind: "unreachable", message: expect.stringContaining("ECONNREFUSED") });
    const sse = await all.fail(remote(url, { transport: "sse" }));
    expect(sse).toEqual({ kind: "unreachable", message: expect.stringContaining("ECONNREFUSED") });
  });

  it.each([500, 400, 404, "hang"] as const)(
    "greets a server anew that answers the first question with %s",
    async (choke) => {
      await using server = await choking(choke);
      await using all = connections();
      const connection = await all.connect(remote(server.url, { startupTimeoutMs: 3_000 }));
      expect(connection.protocolVersion).toBe("2025-06-18");
    },
  );

  it("speaks the older way over HTTP", async () => {
    await using server = await startMisbehavingHttpServer("sse-only");
    await using all = connections();
    const connection = await all.connect(remote(server.url, { transport: "sse" }));
    expect(textOf(await call(connection, "echo", { text: "old" }))).toBe("old");
  });

  it("needs a sign-in for the older way too", async () => {
    await using server = await startMisbehavingHttpServer("unauthorized");
    await using all = connections();
    const failure = await all.fail(remote(server.url, { transport: "sse" }));
    expect(failure.kind).toBe("needs_auth");
  });
});

/** A server that does not survive a question that it does not know. */
async function choking(how: number | "hang"): Promise<AsyncDisposable & { url: string }> {
  const server: Server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      const { id, method } = JSON.parse(text || "{}") as { id?: number; method?: string };
      if (method === "initialize") {
        const result = {
          protocolVersion: "2025-06-18",
          capabilities: {},
          serverInfo: { name: "choking", version: "1" },
        };
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
      } else if (method === "server/discover") {
        if (how !== "hang") response.writeHead(how).end("what?");
      } else response.writeHead(request.method === "POST" ? 202 : 405).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
