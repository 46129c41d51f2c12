import { tempFolder } from "@acumen/testkit";
import { describe, expect, it } from "vitest";
import { startRawServer } from "./support/raw-server.ts";
import { startServer } from "./support/server-process.ts";

const SAMPLE = { question: "What is the capital of France?", ground_truth: "Paris" };
const LEARN = { session_id: "s", samples: [SAMPLE] };

describe("ace-mcp over stdio", () => {
  it("learns from a sample and from feedback, answers, saves, restarts and loads", async () => {
    await using folder = await tempFolder();
    const env = { ACE_MCP_SKILLBOOK_ROOT: folder.path };
    let saved: unknown;
    {
      await using server = await startServer(env);
      expect(await server.reply("ace.learn.sample", LEARN)).toEqual({
        session_id: "s",
        processed: 1,
        failed: 0,
        skill_count_before: 0,
        skill_count_after: 1,
        new_skill_count: 1,
      });
      const question = "What is the capital of Peru?";
      const first = await server.reply("ace.ask", { session_id: "s", question });
      await server.reply("ace.learn.feedback", {
        session_id: "s",
        question,
        answer: first["answer"],
        feedback: "Wrong.",
        ground_truth: "Lima",
      });
      expect(await server.reply("ace.ask", { session_id: "s", question })).toMatchObject({
        answer: "Lima",
      });
      await server.reply("ace.skillbook.save", { session_id: "s", path: "book.json" });
      saved = (await server.reply("ace.skillbook.get", { session_id: "s" }))["skills"];
    }
    await using server = await startServer(env);
    expect(
      await server.failure("ace.ask", { session_id: "s", question: "?", path: 1 }),
    ).toMatchObject({ code: "ACE_MCP_VALIDATION_ERROR" });
    await server.reply("ace.skillbook.load", { session_id: "s", path: "book.json" });
    expect((await server.reply("ace.skillbook.get", { session_id: "s" }))["skills"]).toEqual(saved);
    expect(
      await server.reply("ace.ask", { session_id: "s", question: SAMPLE.question }),
    ).toMatchObject({ answer: "Paris" });
  });

  it("goes on after malformed lines, batches and a line of 11 MB", async () => {
    await using server = startRawServer();
    await server.initialize();
    server.send("not json");
    server.send('{"jsonrpc":"2.0"');
    server.send("[]");
    server.send([{ jsonrpc: "2.0", id: 1, method: "ping" }]);
    server.send({ jsonrpc: "1.0", id: 2 });
    server.send("");
    server.call(3, "ace.ask", {
      session_id: "s",
      question: "q",
      metadata: { padding: "x".repeat(11 << 20) },
    });
    const long = await server.response(3);
    expect(JSON.stringify(long)).toContain("max_prompt_chars");
    server.send({
      jsonrpc: "2.0",
      id: 4,
      method: "tools/call",
      params: { name: "ace.ask", arguments: [] },
    });
    expect(await server.response(4)).toMatchObject({ error: { code: -32_602 } });
    server.call(5, "ace.ask", { session_id: "s", question: "q" });
    expect(await server.response(5)).toHaveProperty("result.structuredContent.session_id", "s");
    for (const line of server.stdout().trimEnd().split("\n"))
      expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
  });

  it("serves a stateless client of the 2026 revision without any handshake", async () => {
    await using server = startRawServer();
    const meta = {
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
      },
    };
    server.send({ jsonrpc: "2.0", id: 1, method: "tools/list", params: meta });
    expect(await server.response(1)).toHaveProperty("result.tools.0.name", "ace.ask");
    const call = { name: "ace.ask", arguments: { session_id: "s", question: "q" }, ...meta };
    server.send({ jsonrpc: "2.0", id: 2, method: "tools/call", params: call });
    expect(await server.response(2)).toMatchObject({
      result: { resultType: "complete", structuredContent: { session_id: "s" } },
    });
  });

  it("prints nothing but the protocol on stdout, and no payload in DEBUG logs", async () => {
    await using server = startRawServer({ ACE_MCP_LOG_LEVEL: "DEBUG" });
    await server.initialize();
    server.call(1, "ace.learn.sample", {
      session_id: "s",
      samples: [{ question: "confidential question", ground_truth: "confidential truth" }],
    });
    await server.response(1);
    server.call(2, "ace.ask", { session_id: "s", question: 5, note: "confidential note" });
    await server.response(2);
    await server.waitFor("stderr", "call failed");
    expect(server.stderr()).not.toContain("confidential");
    for (const line of server.stderr().trimEnd().split("\n")) JSON.parse(line);
  });
});

describe("ace-mcp as a command", () => {
  it("prints help with every variable, and its version", async () => {
    await using help = startRawServer({}, ["--help"]);
    await using version = startRawServer({}, ["--version"]);
    expect(await help.exited).toEqual({ code: 0, signal: null });
    expect(help.stdout()).toContain("ACE_MCP_ASK_TIMEOUT_SECONDS (120)");
    expect(await version.exited).toEqual({ code: 0, signal: null });
    expect(version.stdout()).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it("checks the set-up without serving", async () => {
    await using good = startRawServer({}, ["--check"]);
    await using bad = startRawServer({ ACE_MCP_DEFAULT_MODEL: "gpt-4o-mini" }, ["--check"]);
    expect(await good.exited).toMatchObject({ code: 0 });
    expect(good.stdout()).toContain("model: builtin/recall");
    expect(await bad.exited).toMatchObject({ code: 1 });
    expect(bad.stderr()).toContain("ACE_MCP_DEFAULT_MODEL=builtin/recall");
    expect(bad.stderr()).not.toContain("    at ");
  });

  it("refuses unknown arguments", async () => {
    await using server = startRawServer({}, ["--port", "1"]);
    expect(await server.exited).toMatchObject({ code: 2 });
    expect(server.stderr()).toContain("usage: ace-mcp");
    expect(server.stdout()).toBe("");
  });
});
