import { expect, test } from "vitest";
import {
  type MisbehavingHttpMode,
  type MisbehavingHttpServer,
  startMisbehavingHttpServer,
} from "../../src/index.ts";

async function post(
  server: MisbehavingHttpServer,
  message: Readonly<Record<string, unknown>>,
  session?: string,
): Promise<Response> {
  return fetch(server.url, {
    method: "POST",
    redirect: "manual",
    headers: {
      "content-type": "application/json",
      ...(session !== undefined && { "mcp-session-id": session }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
  });
}

const INITIALIZE = { id: 0, method: "initialize", params: { protocolVersion: "2025-11-25" } };
const ECHO = {
  id: 2,
  method: "tools/call",
  params: { name: "echo", arguments: { text: "hello" } },
};

async function sessionOf(server: MisbehavingHttpServer): Promise<string> {
  const greeting = await post(server, INITIALIZE);
  await greeting.text();
  return greeting.headers.get("mcp-session-id") ?? "";
}

test("without a fault it greets, calls in a session, and refuses what it does not know", async () => {
  await using server = await startMisbehavingHttpServer("well");
  const session = await sessionOf(server);
  const answer = await post(server, ECHO, session);
  expect(await answer.json()).toEqual({
    jsonrpc: "2.0",
    id: 2,
    result: { content: [{ type: "text", text: "hello" }] },
  });
  expect((await post(server, ECHO)).status).toBe(400);
  expect((await post(server, ECHO, "no session of mine")).status).toBe(404);
  server.loseSessions();
  expect((await post(server, ECHO, session)).status).toBe(404);
  expect(server.methods().slice(0, 2)).toEqual(["initialize", "tools/call"]);
});

test("a lost session is good for one call", async () => {
  await using server = await startMisbehavingHttpServer("session-lost");
  const first = await sessionOf(server);
  expect((await post(server, ECHO, first)).status).toBe(200);
  expect((await post(server, ECHO, first)).status).toBe(404);
  expect((await post(server, ECHO, await sessionOf(server))).status).toBe(200);
});

test.each<[MisbehavingHttpMode, number]>([
  ["unauthorized", 401],
  ["forbidden", 403],
  ["server-error", 500],
  ["html", 200],
  ["sse-only", 405],
  ["redirect-to-other-origin", 307],
])("%s answers %d", async (mode, status) => {
  await using server = await startMisbehavingHttpServer(mode);
  expect((await post(server, INITIALIZE)).status).toBe(status);
});

test("events alone: the stream names where to post, and carries the answer", async () => {
  await using server = await startMisbehavingHttpServer("sse-only");
  const stream = await fetch(server.url);
  const reader = (stream.body ?? new ReadableStream<Uint8Array>()).getReader();
  const next = async (): Promise<string> =>
    Buffer.from((await reader.read()).value ?? []).toString("utf8");
  const [, path] = /data: (\S+)/.exec(await next()) ?? [];
  const accepted = await fetch(new URL(path ?? "", server.url), {
    method: "POST",
    body: JSON.stringify({ jsonrpc: "2.0", ...ECHO }),
  });
  expect(accepted.status).toBe(202);
  expect(await next()).toContain('"text":"hello"');
  await reader.cancel();
});

test("a call with progress ends in a stream", async () => {
  await using server = await startMisbehavingHttpServer("slow-with-progress", { delayMs: 250 });
  const answer = await post(
    server,
    { ...ECHO, params: { ...ECHO.params, _meta: { progressToken: 1 } } },
    await sessionOf(server),
  );
  const events = await answer.text();
  expect(events).toContain("notifications/progress");
  expect(events).toContain("done after");
});

test.each(["stream-cut", "socket-cut", "broken-json", "empty-answer"] as const)(
  "%s gives no answer",
  async (mode) => {
    await using server = await startMisbehavingHttpServer(mode);
    const answer = await post(server, ECHO, await sessionOf(server));
    await expect(answer.json()).rejects.toThrow();
  },
);
