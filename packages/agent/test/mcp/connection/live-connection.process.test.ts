import { startMisbehavingHttpServer, tempFolder } from "@acumen/testkit";
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { call, closedOf, connections, remote, script, stdio, textOf } from "./support/connect.ts";

const never = new AbortController().signal;

describe("calls", () => {
  it.each([
    ["no-content", {}],
    ["content-is-a-string", { content: "just a string" }],
    [
      "unknown-block",
      {
        content: [
          { type: "hologram", data: "x" },
          { type: "text", text: "after the hologram" },
        ],
      },
    ],
    [
      "blocks-without-their-fields",
      {
        content: [
          { type: "text" },
          { type: "image" },
          { type: "resource" },
          null,
          "text",
          { a: 1 },
        ],
      },
    ],
    [
      "error-with-structured-content",
      { isError: true, structuredContent: { code: 1 }, content: [{ text: "the real reason" }] },
    ],
  ] as const)("keep the result of a server with %s", async (mode, result) => {
    await using all = connections();
    const connection = await all.connect(stdio(mode));
    await connection.listTools(never);
    expect(await call(connection, "echo")).toMatchObject({ ok: true, result });
  });

  it("keep a result with nulls for what may be left out", async () => {
    await using all = connections();
    const connection = await all.connect(script("mirror"));
    expect(await call(connection, "nulls")).toEqual({
      ok: true,
      result: {
        content: [{ type: "text", text: "around", annotations: null, _meta: null }],
        structuredContent: null,
        isError: null,
      },
    });
  });

  it("keep a result that its outputSchema does not describe", async () => {
    await using all = connections();
    const connection = await all.connect(stdio("output-schema-without-structured-content"));
    await connection.listTools(never);
    expect(textOf(await call(connection, "echo", { text: "fine" }))).toBe("fine");
  });

  it("always send an object of arguments, and ask for progress", async () => {
    await using all = connections();
    const connection = await all.connect(script("mirror"));
    const { calls } = JSON.parse(textOf(await call(connection, "seen"))) as {
      calls: { id: number; params: object }[];
    };
    expect(calls[0]?.params).toEqual({
      name: "seen",
      arguments: {},
      _meta: { progressToken: calls[0]?.id },
    });
  });

  it("give JSON-RPC errors with code and text", async () => {
    await using all = connections();
    const connection = await all.connect(stdio("protocol-error"));
    expect(await call(connection, "echo")).toEqual({
      ok: false,
      kind: "refused",
      mayHaveRun: false,
      message: 'The MCP server "peer" refused the call: the database is down (-32000).',
    });
  });

  it("pass progress on and outlive their own time because of it", async () => {
    await using all = connections();
    const connection = await all.connect(stdio("slow-with-progress", {}, { delayMs: 2_500 }));
    const seen: unknown[] = [];
    const answer = await call(
      connection,
      "echo",
      {},
      {
        timeoutMs: 1_500,
        onProgress: (progress) => seen.push(progress),
      },
    );
    expect(textOf(answer)).toMatch(/^done after/);
    expect(seen[0]).toEqual({ progress: 1, message: "step 1" });
  });

  it("end when their time is over, and the server is told; the connection lives on", async () => {
    await using folder = await tempFolder();
    await using all = connections();
    const log = folder.join("log");
    const connection = await all.connect(stdio("hang-in-call", {}, { log }));
    const answer = await call(connection, "echo", {}, { timeoutMs: 200 });
    expect(answer).toEqual({
      ok: false,
      kind: "timeout",
      mayHaveRun: true,
      message: 'The MCP server "peer" did not answer the call within 200 ms.',
    });
    await expect.poll(() => readFile(log, "utf8")).toContain('"event":"cancelled"');
    expect(await call(connection, "environment")).toMatchObject({ ok: true });
  });

  it("are cancelled by an abort, which the server hears of; the connection lives on", async () => {
    await using folder = await tempFolder();
    await using all = connections();
    const log = folder.join("log");
    const connection = await all.connect(stdio("answer-after-cancel", {}, { log }));
    const abort = new AbortController();
    const calling = call(connection, "echo", {}, { signal: abort.signal });
    await expect.poll(() => readFile(log, "utf8")).toContain('"tools/call"');
    const begun = performance.now();
    abort.abort();
    await expect(calling).rejects.toMatchObject({ code: "CORE_ABORTED" });
    expect(performance.now() - begun).toBeLessThan(3_000);
    await expect.poll(() => readFile(log, "utf8")).toContain('"event":"cancelled"');
    expect(await call(connection, "environment")).toMatchObject({ ok: true });
  });
});

describe("the end of a connection", () => {
  it("is told once, with exit code and stderr, and reaches the call that waits", async () => {
    await using all = connections();
    const connection = await all.connect(stdio("crash-in-call"));
    const failures: unknown[] = [];
    connection.onClosed((failure) => failures.push(failure));
    const calls = await Promise.all([call(connection, "echo"), call(connection, "echo")]);
    for (const answer of calls) {
      expect(answer).toMatchObject({ ok: false, kind: "closed", mayHaveRun: true });
      expect(answer).toMatchObject({ message: expect.stringMatching(/no answer.*code 11/) });
    }
    const message = expect.stringMatching(/exited with code 11\..*segmentation fault/);
    expect(failures).toEqual([{ kind: "exited", message }]);
    // At once, and it says that nothing was sent.
    const later = await call(connection, "echo");
    expect(later).toMatchObject({
      kind: "not_sent",
      mayHaveRun: false,
      message: expect.stringMatching(/exited with code 11/),
    });
    await connection.close();
    expect(failures).toHaveLength(1);
  });

  it("is told to those who come later, and not after close", async () => {
    await using all = connections();
    const crashed = await all.connect(stdio("crash-in-call"));
    await call(crashed, "echo");
    expect(await closedOf(crashed)).toMatchObject({ kind: "exited" });
    const closed = await all.connect(stdio("well"));
    const failures: unknown[] = [];
    closed.onClosed((failure) => failures.push(failure));
    const waiting = call(closed, "echo");
    await closed.close();
    expect(await waiting).toMatchObject({ ok: false, kind: "closed" });
    expect(failures).toEqual([]);
  });

  it("comes with the first call that finds nobody at the address", async () => {
    const server = await startMisbehavingHttpServer("well");
    await using all = connections();
    const connection = await all.connect(remote(server.url));
    const closed = closedOf(connection);
    await server.close();
    const answer = await call(connection, "echo");
    expect(answer).toMatchObject({ ok: false, kind: "not_sent", mayHaveRun: false });
    expect(answer).toMatchObject({ message: expect.stringMatching(/ECONNREFUSED/) });
    expect(await closed).toMatchObject({ kind: "unreachable" });
  });

  it("does not come with one answer that breaks off", async () => {
    await using server = await startMisbehavingHttpServer("socket-cut");
    await using all = connections();
    const connection = await all.connect(remote(server.url));
    const failures: unknown[] = [];
    connection.onClosed((failure) => failures.push(failure));
    expect(await call(connection, "echo")).toMatchObject({ kind: "closed", mayHaveRun: true });
    server.setMode("stream-cut");
    expect(await call(connection, "echo")).toMatchObject({ kind: "closed", mayHaveRun: true });
    server.setMode("well");
    expect(textOf(await call(connection, "echo", { text: "still here" }))).toBe("still here");
    expect(failures).toEqual([]);
  });

  it("comes with a 401 in the middle of the work", async () => {
    await using server = await startMisbehavingHttpServer("unauthorized-later");
    await using all = connections();
    const connection = await all.connect(remote(server.url));
    const closed = closedOf(connection);
    await call(connection, "echo");
    expect(await call(connection, "echo")).toMatchObject({
      kind: "refused",
      mayHaveRun: false,
      message: expect.stringMatching(/Authorization/),
    });
    expect(await closed).toMatchObject({ kind: "needs_auth" });
  });

  it.each([
    ["server-error-in-call", /HTTP 500/],
    ["html-in-call", /no answer.*text\/html/],
    ["broken-json", /no answer/],
    ["empty-answer", /no answer/],
  ] as const)("does not come with %s", async (mode, message) => {
    await using server = await startMisbehavingHttpServer(mode);
    await using all = connections();
    const connection = await all.connect(remote(server.url));
    const answer = await call(connection, "echo");
    expect(answer).toMatchObject({
      ok: false,
      kind: "refused",
      mayHaveRun: true,
      message: expect.stringMatching(message),
    });
    server.setMode("well");
    expect(textOf(await call(connection, "echo", { text: "still here" }))).toBe("still here");
  });

  it("comes when the stream of the older way over HTTP ends", async () => {
    const server = await startMisbehavingHttpServer("sse-only");
    await using all = connections();
    const connection = await all.connect(remote(server.url, { transport: "sse" }));
    const closed = closedOf(connection);
    await server.close();
    expect(await closed).toMatchObject({ kind: "unreachable" });
    expect(await call(connection, "echo")).toMatchObject({ kind: "not_sent", mayHaveRun: false });
  });
});
