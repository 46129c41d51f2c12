import { Client } from "@modelcontextprotocol/client";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { event, eventful, httpBench, stream, streamable } from "./http-bench.ts";
import { bench, PING, remote, started } from "./support.ts";

const HEADERS = { Authorization: "Bearer s3cret", "X-Team": "a, b" };
const SENT = { authorization: "Bearer s3cret", "x-team": "a, b" };

test("Streamable HTTP: the client greets and lists; every request carries the headers; closing says goodbye", async () => {
  await using server = await httpBench(streamable);
  await using b = await bench();
  const opened = await b.open(remote("http", server.url, HEADERS));
  const client = new Client({ name: "test", version: "1" });
  await client.connect(opened.transport);
  expect(await client.listTools()).toMatchObject({ tools: [{ name: "echo" }] });
  await expect.poll(() => server.seen.map(({ method }) => method)).toContain("GET");
  expect(opened.lastStatus()).toBe(200);
  expect(opened.lastFailure()).toBeUndefined();
  await client.close();
  expect(await opened.ended).toEqual({ kind: "closed", exitCode: null, signal: null });
  await opened.close();
  const farewell = server.seen.at(-1);
  expect(farewell).toMatchObject({ method: "DELETE" });
  expect(farewell?.headers).toMatchObject({
    "mcp-session-id": "s1",
    "mcp-protocol-version": "2025-11-25",
  });
  for (const { headers } of server.seen) expect(headers).toMatchObject(SENT);
  // The stream that waited for more is ended too.
  const waiting = server.seen.find(({ method }) => method === "GET");
  await expect.poll(() => waiting?.closed()).toBe(true);
});

test("HTTP with server-sent events: the same, and the end of its stream is the end of the connection", async () => {
  await using server = await httpBench(eventful());
  await using b = await bench();
  const opened = await b.open(remote("sse", server.url, HEADERS));
  const client = new Client({ name: "test", version: "1" });
  await client.connect(opened.transport);
  expect(await client.listTools()).toMatchObject({ tools: [{ name: "echo" }] });
  let closed = 0;
  client.onclose = () => void (closed += 1);
  await client.notification({ method: "bye" } as never).catch(() => undefined);
  const end = await opened.ended;
  expect(end).toMatchObject({ kind: "broken", exitCode: null, signal: null });
  expect(end.error?.message).toBe(`The MCP server "small" ended its stream of events.`);
  expect(closed).toBe(1);
  await opened.close();
  for (const { headers } of server.seen) expect(headers).toMatchObject(SENT);
  // It does not ask for another one: that would be another session.
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(server.seen.filter(({ method }) => method === "GET")).toHaveLength(1);
});

test.each(["http", "sse"] as const)(
  "%s: a refusal is known by its status, and whether it says how to sign in",
  async (transport) => {
    for (const status of [401, 403, 404, 405, 500, 503]) {
      const signIn = status === 401 ? { "www-authenticate": "Bearer" } : {};
      await using server = await httpBench((_seen, response) => {
        response.writeHead(status, signIn).end("x".repeat(1_000_000));
      });
      await using b = await bench();
      const opened = await b.open(remote(transport, server.url, HEADERS));
      const client = new Client({ name: "test", version: "1" });
      const error = await client.connect(opened.transport).then(
        () => new Error("connected"),
        (reason: unknown) => reason as Error,
      );
      expect(error.message.length).toBeLessThan(20_000);
      expect(error.message).not.toContain("s3cret");
      expect(opened.lastStatus()).toBe(status);
      expect(opened.lastFailure()).toEqual({
        method: transport === "http" ? "POST" : "GET",
        status,
        ...(status === 401 && { authenticate: true }),
      });
    }
  },
);

test.each(["http", "sse"] as const)("%s: nobody listens there", async (transport) => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  await using b = await bench();
  const opened = await b.open(remote(transport, `http://127.0.0.1:${port}/mcp`));
  await expect(
    new Client({ name: "test", version: "1" }).connect(opened.transport),
  ).rejects.toThrow();
  expect(opened.lastFailure()).toMatchObject({ code: "ECONNREFUSED" });
  expect(opened.lastFailure()?.status).toBeUndefined();
  expect(opened.lastStatus()).toBeUndefined();
});

test.each(["http", "sse"] as const)(
  "%s: a redirect to another origin is not followed, one within the origin is",
  async (transport) => {
    await using other = await httpBench(streamable);
    const answer = transport === "http" ? streamable : eventful();
    await using server = await httpBench((seen, response) => {
      if (seen.path === "/mcp") response.writeHead(307, { location: "/moved" }).end();
      else if (seen.path === "/away") response.writeHead(307, { location: other.url }).end();
      else answer(seen, response);
    });
    await using b = await bench();
    const within = await b.open(remote(transport, server.url, HEADERS));
    await new Client({ name: "test", version: "1" }).connect(within.transport);
    expect(server.seen.some(({ path }) => path === "/moved")).toBe(true);
    for (const { headers } of server.seen) expect(headers).toMatchObject(SENT);
    const away = await b.open(remote(transport, server.url.replace("/mcp", "/away"), HEADERS));
    await expect(
      new Client({ name: "test", version: "1" }).connect(away.transport),
    ).rejects.toThrow(/Redirect to .* not followed/);
    expect(away.lastFailure()).toMatchObject({ status: 307 });
    await away.close();
    expect(other.seen).toEqual([]);
  },
);

test("an endpoint that a server of events names elsewhere is not used", async () => {
  await using other = await httpBench(streamable);
  await using server = await httpBench((_seen, response) => {
    stream(response);
    response.write(`event: endpoint\ndata: ${other.url}\n\n`);
  });
  await using b = await bench();
  const opened = await b.open(remote("sse", server.url, HEADERS));
  await expect(opened.transport.start()).rejects.toThrow(/origin/);
  expect(await opened.ended).toMatchObject({ kind: "broken" });
  expect(other.seen).toEqual([]);
});

test("a stream that breaks is asked for what comes after the last event, and not in a hurry", async () => {
  let gets = 0;
  await using server = await httpBench(({ method, headers, message }, response) => {
    if (method === "GET") {
      gets += 1;
      stream(response);
      if (gets < 3) response.end();
      else {
        response.end(
          event({ jsonrpc: "2.0", id: 1, result: { after: headers["last-event-id"] } }, "e2"),
        );
      }
      return;
    }
    stream(response);
    response.end(`retry: 0\nid: e1\ndata:\n\n`);
    expect(message?.id).toBe(1);
  });
  await using b = await bench();
  const opened = await b.open(remote("http", server.url, HEADERS));
  const heard = await started(opened);
  const begin = performance.now();
  await opened.transport.send(PING);
  await expect.poll(() => heard.messages).toHaveLength(1);
  expect(heard.messages).toEqual([{ jsonrpc: "2.0", id: 1, result: { after: "e1" } }]);
  expect(performance.now() - begin).toBeGreaterThan(290);
  for (const { headers } of server.seen) expect(headers).toMatchObject(SENT);
});

test.each(["http", "sse"] as const)(
  "%s: closing ends what waits for an answer, also while it starts, and an abort does the same",
  async (transport) => {
    await using server = await httpBench(({ method }, response) => {
      if (method === "DELETE") return;
      if (method === "GET") stream(response);
    });
    await using b = await bench();
    const opened = await b.open(remote(transport, server.url));
    const begin = performance.now();
    const connecting = new Client({ name: "test", version: "1" }).connect(opened.transport);
    const outcome = connecting.catch((error: unknown) => error);
    await expect.poll(() => server.seen).toHaveLength(1);
    await Promise.all([opened.close(), opened.close()]);
    expect(await outcome).toBeInstanceOf(Error);
    await expect.poll(() => server.seen[0]?.closed()).toBe(true);
    expect(performance.now() - begin).toBeLessThan(5000);
    const controller = new AbortController();
    const aborted = await b.open(remote("sse", server.url), { signal: controller.signal });
    const starting = aborted.transport.start();
    const rejected = expect(starting).rejects.toMatchObject({ code: "CORE_ABORTED" });
    await expect.poll(() => server.seen).toHaveLength(2);
    controller.abort();
    await rejected;
    expect(await aborted.ended).toMatchObject({ kind: "closed" });
    await expect.poll(() => server.seen[1]?.closed()).toBe(true);
  },
);

test("a server that does not answer the goodbye is not waited for", async () => {
  await using server = await httpBench((seen, response) => {
    if (seen.method !== "DELETE") streamable(seen, response);
  });
  await using b = await bench();
  const opened = await b.open(remote("http", server.url));
  await new Client({ name: "test", version: "1" }).connect(opened.transport);
  const begin = performance.now();
  await opened.close();
  expect(performance.now() - begin).toBeLessThan(5000);
  expect(server.seen.at(-1)?.method).toBe("DELETE");
});

test("what cannot be sent is said before anything is, and never with a value", async () => {
  await using b = await bench();
  const wrong = [
    [remote("http", "http://me:s3cret@127.0.0.1/"), /user name or a password/],
    [remote("sse", "ftp://127.0.0.1/s3cret"), /not one of http or https/],
    [remote("http", "s3cret"), /cannot be read/],
    [remote("http", "http://127.0.0.1/", { "X-A": "s3cret\n" + "b" }), /"X-A" cannot be sent/],
    [remote("http", "http://127.0.0.1/", { "X-A": "s3cret€" }), /"X-A" cannot be sent/],
  ] as const;
  for (const [definition, reason] of wrong) {
    const opened = await b.open(definition);
    await expect(opened.transport.start()).rejects.toThrow(reason);
    const end = await opened.ended;
    expect(end).toMatchObject({ kind: "not_started" });
    expect(end.error?.message).not.toContain("s3cret");
    await expect(opened.transport.send(PING)).rejects.toThrow(/not connected/);
    await opened.close();
  }
});
