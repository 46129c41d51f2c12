import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import type { McpConnection } from "../../../src/mcp/connection/mcp-connection.ts";
import { readListedTool } from "../../../src/mcp/tools/read-listed-tool.ts";
import { event, httpBench, json, resultFor, stream } from "../transports/http-bench.ts";
import { call, closedOf, connections, remote } from "./support/connect.ts";

const never = new AbortController().signal;
/** One second is soon enough for an answer; calls may take twenty. */
const SOON_MS = 10_000;
const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

type Written = (id: string) => string;
const WAYS = ["JSON", "an event stream that stays open", "the older way"] as const;

/** Answers calls, and lists when they are given, with what the test writes; `%id` of a request stands for itself. */
async function serving(
  way: (typeof WAYS)[number],
  written: { readonly call?: Written; readonly list?: Written },
): Promise<AsyncDisposable & { connect(): Promise<McpConnection> }> {
  let events: ServerResponse | undefined;
  const server = await httpBench(({ method, message }, response) => {
    const id = JSON.stringify(message?.id);
    const text =
      message?.method === "tools/call"
        ? written.call?.(id)
        : message?.method === "tools/list"
          ? written.list?.(id)
          : undefined;
    if (method === "GET" && way === "the older way") {
      events = response;
      stream(response);
      response.write("event: endpoint\ndata: /messages\n\n");
    } else if (method !== "POST") response.writeHead(405).end();
    else if (message?.id === undefined) response.writeHead(202).end();
    else if (way === "the older way") {
      response.writeHead(202).end();
      events?.write(text === undefined ? event(resultFor(message)) : `data: ${text}\n\n`);
    } else if (text === undefined) {
      if (message.method === "server/discover") response.writeHead(400).end();
      else json(response, resultFor(message));
    } else if (way === "JSON") {
      response.writeHead(200, { "content-type": "application/json" }).end(text);
    } else {
      stream(response);
      response.write(`data: ${text}\n\n`);
    }
  });
  const all = connections();
  const transport = way === "the older way" ? "sse" : "http";
  return {
    connect: () => all.connect(remote(server.url, { transport })),
    [Symbol.asyncDispose]: async () => {
      await all[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe.each(WAYS)("an answer by %s", (way) => {
  async function called(write: Written): Promise<unknown> {
    await using server = await serving(way, { call: write });
    const connection = await server.connect();
    const begun = performance.now();
    const answer = await call(connection, "echo");
    expect(performance.now() - begun).toBeLessThan(SOON_MS);
    return answer;
  }

  it.each([
    [
      "metadata of null",
      (id: string) => `{"jsonrpc":"2.0","id":${id},"result":{"a":1,"_meta":null}}`,
    ],
    [
      "an error of null beside it",
      (id: string) => `{"jsonrpc":"2.0","id":${id},"result":{"a":1},"error":null}`,
    ],
    [
      "fields that nobody knows",
      (id: string) => `{"jsonrpc":"2.0","id":${id},"result":{"a":1},"took":5}`,
    ],
    ["its id as text", (id: string) => `{"jsonrpc":"2.0","id":"${id}","result":{"a":1}}`],
    ["others in a batch", (id: string) => `[{"jsonrpc":"2.0","id":${id},"result":{"a":1}}]`],
  ])("with %s is a result", async (_what, write) => {
    expect(await called(write)).toEqual({ ok: true, result: { a: 1 } });
  });

  it.each([
    ["the result null", (id: string) => `{"jsonrpc":"2.0","id":${id},"result":null}`, /no object/],
    ["a list as result", (id: string) => `{"jsonrpc":"2.0","id":${id},"result":[]}`, /no object/],
    ["neither result nor error", (id: string) => `{"jsonrpc":"2.0","id":${id}}`, /neither/],
    ["a text for an error", (id: string) => `{"jsonrpc":"2.0","id":${id},"error":"no"}`, /: no \(/],
    [
      "a deep result",
      (id: string) => `{"jsonrpc":"2.0","id":${id},"result":${deep(5_000)}}`,
      /deeper than 200 levels/,
    ],
    [
      "a result that is deeper still",
      (id: string) => `{"jsonrpc":"2.0","id":${id},"result":${deep(150_000)}}`,
      /deeper than 100000 levels/,
    ],
  ])("with %s is refused at once, with the reason", async (_what, write, message) => {
    expect(await called(write)).toEqual({
      ok: false,
      kind: "refused",
      message: expect.stringMatching(message),
    });
  });

  it("costs one tool when that is nested without end, not the list", async () => {
    const good = '{"name":"good","inputSchema":{"type":"object"}}';
    await using server = await serving(way, {
      list: (id) =>
        `{"jsonrpc":"2.0","id":${id},"result":{"tools":[{"name":"bad","inputSchema":${deep(20_000)}},${good}]}}`,
    });
    const listed = await (await server.connect()).listTools(never);
    expect(listed.ok && listed.tools.map(readListedTool)).toMatchObject([
      { ok: false, tool: "bad", reason: expect.stringMatching(/deeper than 200 levels/) },
      { ok: true, facts: { name: "good" } },
    ]);
  });
});

describe.each(["JSON", "an event stream that stays open"] as const)("over HTTP by %s", (way) => {
  it.each([
    [
      "an error that names nobody",
      '{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"what?"}}',
      /what\?/,
    ],
    ["no message", '{"ok":true}', /no answer/],
    ["half a message", '{"jsonrpc":"2.0","result":{"content":[', /no answer/],
  ])("%s is the answer to the request that it came for", async (_what, text, message) => {
    await using server = await serving(way, { call: () => text });
    const answer = await call(await server.connect(), "echo");
    expect(answer).toEqual({
      ok: false,
      kind: "refused",
      message: expect.stringMatching(message),
    });
  });
});

it.each([400, 404])("a session that is named in a %d is lost, and nothing ran", async (status) => {
  await using server = await httpBench(({ message, method }, response) => {
    if (method !== "POST" || message?.method === "server/discover") response.writeHead(405).end();
    else if (message?.method === "tools/call")
      response.writeHead(status).end("Bad Request: No valid session ID provided");
    else if (message?.id === undefined) response.writeHead(202).end();
    else json(response, resultFor(message), { "mcp-session-id": "s1" });
  });
  await using all = connections();
  const connection = await all.connect(remote(server.url));
  const closed = closedOf(connection);
  expect(await call(connection, "echo")).toEqual({
    ok: false,
    kind: "session_lost",
    message: expect.stringMatching(new RegExp(`HTTP ${status}.* did not run`)),
  });
  expect(await closed).toMatchObject({ kind: "session_lost" });
});

it("a 400 without a session, and one that is about something else, end nothing", async () => {
  for (const [session, body] of [
    [undefined, "Bad Request: No valid session ID provided"],
    ["s1", "Bad Request: no such column"],
  ] as const) {
    await using server = await httpBench(({ message, method }, response) => {
      if (method !== "POST" || message?.method === "server/discover") response.writeHead(405).end();
      else if (message?.method === "tools/call") response.writeHead(400).end(body);
      else if (message?.id === undefined) response.writeHead(202).end();
      else json(response, resultFor(message), session && { "mcp-session-id": session });
    });
    await using all = connections();
    const connection = await all.connect(remote(server.url));
    const failures: unknown[] = [];
    connection.onClosed((failure) => failures.push(failure));
    expect(await call(connection, "echo")).toMatchObject({ ok: false, kind: "refused" });
    expect(await connection.listTools(never)).toMatchObject({ ok: true });
    expect(failures).toEqual([]);
  }
});
