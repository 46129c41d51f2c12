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
