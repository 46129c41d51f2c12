import { describe, expect, it } from "vitest";
import { startServer } from "./support/server-process.ts";

describe("ace-mcp over stdio", () => {
  it("learns from a sample and answers with it", async () => {
    await using server = await startServer();
    const learned = await server.reply("ace.learn.sample", {
      session_id: "s1",
      samples: [{ question: "What is the capital of France?", ground_truth: "Paris" }],
    });
    expect(learned).toEqual({
      session_id: "s1",
      processed: 1,
      failed: 0,
      skill_count_before: 0,
      skill_count_after: 1,
      new_skill_count: 1,
    });
    const answer = await server.reply("ace.ask", {
      session_id: "s1",
      question: "The capital of France?",
    });
    expect(answer).toEqual({ session_id: "s1", answer: "Paris", skill_count: 1 });
  });
});
