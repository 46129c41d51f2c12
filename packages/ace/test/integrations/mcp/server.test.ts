import { type Logger, silentLogger } from "@acumen/core";
import { tempFolder } from "@acumen/testkit";
import { readdir, rm, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { startLineServer } from "./support/line-server.ts";
import { askResult, learnReport, stubFactory, untilAbort } from "./support/stub-runner.ts";

const ASK = { session_id: "s", question: "q" };

describe("serve", () => {
  it("goes on after malformed lines, batches and a line of 11 MB", async () => {
    await using server = await startLineServer();
    await server.initialize();
    server.send("not json");
    server.send('{"jsonrpc":"2.0"');
    server.send("[]");
    server.send([{ jsonrpc: "2.0", id: 91, method: "ping" }]);
    server.send({ jsonrpc: "1.0", id: 92 });
    server.send("");
    const padding = "x".repeat(11 << 20);
    const long = await server.call("ace.ask", { ...ASK, metadata: { padding } });
    expect(JSON.stringify(long)).toContain("max_prompt_chars");
    expect(await server.call("ace.ask", ASK)).toHaveProperty(
      "result.structuredContent.session_id",
      "s",
    );
    expect(server.output()).not.toMatch(/"id":9[12]/);
  });

  it("skips a line over 64 MiB, says so, and answers the next", async () => {
    const warnings: unknown[] = [];
    const logger: Logger = { ...silentLogger, warn: (_message, fields) => warnings.push(fields) };
    await using server = await startLineServer({ logger });
    await server.initialize();
    const block = Buffer.alloc(8 << 20, "x");
    for (let count = 0; count < 9; count += 1) server.stdin.write(block);
    server.send("");
    expect(await server.call("ace.ask", ASK)).toHaveProperty("result.structuredContent");
    expect(JSON.stringify(warnings)).toContain("was skipped");
  });

  it("answers arguments that are no object with the protocol's -32602", async () => {
    await using server = await startLineServer();
    await server.initialize();
    for (const args of [[], null, "text", 5])
      expect(await server.call("ace.ask", args)).toMatchObject({ error: { code: -32_602 } });
  });

  it("treats missing arguments as empty ones", async () => {
    await using server = await startLineServer();
    await server.initialize();
    const response = await server.request("tools/call", { name: "ace.ask" });
    expect(JSON.stringify(response)).toContain("ACE_MCP_VALIDATION_ERROR");
  });

  it("survives a line that nests a hundred thousand levels deep", async () => {
    await using server = await startLineServer();
    await server.initialize();
    const deep = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
    server.send(
      `{"jsonrpc":"2.0","id":93,"method":"tools/call","params":{"name":"ace.ask","arguments":{"session_id":"s","question":"q","metadata":${deep}}}}`,
    );
    expect(await server.call("ace.ask", ASK)).toHaveProperty("result.structuredContent");
  });

  it.each(["2024-10-07", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])(
    "serves hosts of revision %s",
    async (protocolVersion) => {
      await using server = await startLineServer();
      const hello = await server.request("initialize", {
        protocolVersion,
        capabilities: {},
        clientInfo: { name: "raw", version: "1" },
      });
      expect(hello).toMatchObject({ result: { protocolVersion } });
      server.send({ jsonrpc: "2.0", method: "notifications/initialized" });
      expect(await server.request("tools/list")).toHaveProperty("result.tools.5.name");
      expect(await server.call("ace.ask", ASK)).toHaveProperty("result.content.0.type", "text");
    },
  );

  it("serves stateless clients of revision 2026-07-28 without a handshake", async () => {
    await using server = await startLineServer();
    const meta = {
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
      },
    };
    const list = await server.request("tools/list", meta);
    expect(list).toMatchObject({ result: { ttlMs: 3_600_000, cacheScope: "private" } });
    expect(list).toHaveProperty("result.tools.0.name", "ace.ask");
    const call = { name: "ace.ask", arguments: ASK, ...meta };
    expect(await server.request("tools/call", call)).toMatchObject({
      result: { resultType: "complete", structuredContent: { session_id: "s" } },
    });
  });

  it("ends when the client goes away, aborting what is at work", async () => {
    let aborted = false;
    const stub = stubFactory(() => ({
      learn: async (_samples, { signal }) => {
        await untilAbort(signal).catch(() => undefined);
        aborted = true;
        return { ...learnReport, aborted: true };
      },
    }));
    await using server = await startLineServer({ createRunner: stub.create });
    await server.initialize();
    void server.call("ace.learn.sample", { session_id: "s", samples: [{ question: "q" }] });
    await expect.poll(() => stub.count("learn")).toBe(1);
    server.stdin.end();
    await server.server.closed;
    expect(aborted).toBe(true);
  });

  it("saves at its end what could not be saved before", async () => {
    await using root = await tempFolder();
    const config = { autosave: true, skillbookRoot: root.path };
    await using server = await startLineServer({ config });
    await server.initialize();
    await writeFile(root.join(".ace-sessions"), "in the way");
    const samples = [{ question: "What is the capital of France?", ground_truth: "Paris" }];
    const learned = await server.call("ace.learn.sample", { session_id: "s", samples });
    expect(JSON.stringify(learned)).toContain("kept_in_memory");
    await rm(root.join(".ace-sessions"));
    server.stdin.end();
    await server.server.closed;
    const files = await readdir(root.join(".ace-sessions"));
    expect(files).toHaveLength(1);
  });

  it("lets a client that stops reading wait, answers all when it reads on, and still sees the end", async () => {
    const answer = "x".repeat(50_000);
    const stub = stubFactory(() => ({ ask: async () => ({ ...askResult, answer }) }));
    await using server = await startLineServer({ createRunner: stub.create });
    await server.initialize();
    server.stdout.pause();
    const ask = (count: number) => Array.from({ length: count }, () => server.call("ace.ask", ASK));
    const replies = ask(100);
    await expect.poll(() => server.stdout.writableLength).toBeGreaterThan(8 << 20);
    replies.push(...ask(50));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(stub.count("ask")).toBe(100);
    server.stdout.resume();
    for (const reply of await Promise.all(replies))
      expect(reply).toHaveProperty("result.structuredContent.answer", answer);
    server.stdout.pause();
    void ask(100);
    await expect.poll(() => server.stdout.writableLength).toBeGreaterThan(8 << 20);
    server.stdin.end();
    await server.server.closed;
  });

  it("cancels the call that has id 0", async () => {
    let aborted = false;
    const stub = stubFactory(() => ({
      ask: async (_question, { signal }) => {
        await untilAbort(signal).finally(() => (aborted = true));
        throw new Error("unreachable");
      },
    }));
    await using server = await startLineServer({ createRunner: stub.create });
    await server.initialize();
    const params = { name: "ace.ask", arguments: ASK };
    server.send({ jsonrpc: "2.0", id: 0, method: "tools/call", params });
    await expect.poll(() => stub.count("ask")).toBe(1);
    server.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 0 } });
    await expect.poll(() => aborted).toBe(true);
  });
});
