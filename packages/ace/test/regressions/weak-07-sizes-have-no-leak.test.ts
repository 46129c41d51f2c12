import { describe, expect, it } from "vitest";
import { testEngine } from "../integrations/mcp/support/engine.ts";

const long = "x".repeat(101);
const sample = (rest: object) => ({ session_id: "s", samples: [{ question: "q", ...rest }] });

describe("weak point 7: every text of a call is counted", () => {
  it.each([
    ["ace.learn.sample", sample({ ground_truth: long })],
    ["ace.learn.sample", sample({ metadata: { note: long } })],
    ["ace.learn.sample", sample({ metadata: { [long]: 1 } })],
    ["ace.ask", { session_id: "s", question: "q", metadata: { note: long } }],
    ["ace.ask", { session_id: "s".repeat(10_001), question: "q" }],
    ["ace.skillbook.save", { session_id: "s", path: `${"p".repeat(10_001)}.json` }],
    ["ace.ask", { session_id: "s", question: "q", session_config: { model: "m".repeat(10_001) } }],
  ] as const)("%s %#", async (tool, args) => {
    const engine = testEngine({ config: { maxPromptChars: 100 } });
    const error = await engine.failure(tool, args);
    expect(error.code).toBe("ACE_MCP_VALIDATION_ERROR");
    expect(error.details["char_count"]).toBeGreaterThan(100);
    expect(engine.registry.size).toBe(0);
  });

  it("a call has a limit in total", async () => {
    const engine = testEngine({ config: { maxCallChars: 150 } });
    const samples = [{ question: long }, { question: long }];
    const error = await engine.failure("ace.learn.sample", { session_id: "s", samples });
    expect(error.details).toEqual({ field: "call", char_count: 202, max_call_chars: 150 });
  });

  it("a configuration above 25 samples or 100,000 characters has effect", async () => {
    const engine = testEngine({ config: { maxSamplesPerCall: 30, maxPromptChars: 150_000 } });
    const samples = Array.from({ length: 30 }, () => ({ question: "q" }));
    await engine.reply("ace.learn.sample", { session_id: "s", samples });
    await engine.reply("ace.ask", { session_id: "s", question: "x".repeat(120_000) });
  });
});
