import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { McpConnection } from "../../../src/mcp/connection/mcp-connection.ts";
import { readListedTool } from "../../../src/mcp/tools/read-listed-tool.ts";
import {
  type Answer,
  httpBench,
  json,
  resultFor,
  type Seen,
  stream,
} from "../transports/http-bench.ts";
import { call, closedOf, connections, remote } from "./support/connect.ts";

const never = new AbortController().signal;
/** Far below what calls may take here. */
const SOON_MS = 10_000;
const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

type Written = (id: string) => string;
const WAYS = ["JSON", "an event stream that stays open", "the older way"] as const;

interface WrittenAnswers {
  call?: Written;
  readonly list?: Written;
}

function textFor(message: Seen["message"], { call: calls, list }: WrittenAnswers): string {
  const id = JSON.stringify(message?.id);
  if (message?.method === "tools/call" && calls) return calls(id);
  if (message?.method === "tools/list" && list) return list(id);
  return JSON.stringify(resultFor(message));
}

/** All that is sent comes through one stream, which a GET opens. */
function olderWay(written: WrittenAnswers): Answer {
  let events: ServerResponse | undefined;
  return ({ method, message }, response) => {
    if (method === "GET") {
      events = response;
      stream(response);
      response.write("event: endpoint\ndata: /messages\n\n");
      return;
    }
    response.writeHead(202).end();
    if (message?.id !== undefined) events?.write(`data: ${textFor(message, written)}\n\n`);
  };
}

function overHttp(isStream: boolean, written: WrittenAnswers): Answer {
  return ({ method, message }, response) => {
    if (method !== "POST" || message?.method === "server/discover") response.writeHead(405).end();
    else if (message?.id === undefined) response.writeHead(202).end();
    else if (isStream && message.method !== "initialize") {
      stream(response);
      response.write(`data: ${textFor(message, written)}\n\n`);
    } else {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(textFor(message, written));
    }
  };
}

/** A server that answers as the test writes; where it says nothing, by the letter. */
async function serving(
  way: (typeof WAYS)[number],
  written: WrittenAnswers,
): Promise<AsyncDisposable & { connect(): Promise<McpConnection> }> {
  const server = await httpBench(
    way === "the older way" ? olderWay(written) : overHttp(way !== "JSON", written),
  );
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
  const written: WrittenAnswers = {};
  let server: Awaited<ReturnType<typeof serving>>;
  let connection: McpConnection;

  beforeAll(async () => {
    server = await serving(way, written);
    connection = await server.connect();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  async function called(write: Written): Promise<unknown> {
    written.call = write;
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
  ])("with %s is refused at once, with the reason", async (what, write, message) => {
    expect(await called(write)).toEqual({
      ok: false,
      kind: "refused",
      // Only an error says that nothing came of it.
      mayHaveRun: what !== "a text for an error",
      message: expect.stringMatching(message),
    });
  });

  it("costs one tool when that is nested without end, not the list", async () => {
    const good = '{"name":"good","inputSchema":{"type":"object"}}';
    await using other = await serving(way, {
      list: (id) =>
        `{"jsonrpc":"2.0","id":${id},"result":{"tools":[{"name":"bad","inputSchema":${deep(20_000)}},${good}]}}`,
    });
    const listed = await (await other.connect()).listTools(never);
    expect(listed.ok && listed.tools.map((tool) => readListedTool(tool))).toMatchObject([
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
  ])("%s is the answer to the request that it came for", async (what, text, message) => {
    await using server = await serving(way, { call: () => text });
    const answer = await call(await server.connect(), "echo");
    expect(answer).toEqual({
      ok: false,
      kind: "refused",
      mayHaveRun: what !== "an error that names nobody",
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
    mayHaveRun: false,
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
