import { tempFolder } from "@acumen/testkit";
import { describe, expect, it, vi } from "vitest";
import { startRawServer } from "../integrations/mcp/support/raw-server.ts";

// Several processes start here, each from sources; a busy machine takes its time over them.
vi.setConfig({ testTimeout: 60_000 });

const SAMPLE = { question: "What is the capital of France?", ground_truth: "Paris" };

describe("weak point 12: what was answered as learned survives the process", () => {
  it("with autosave, a session comes back after kill -9, at its first use", async () => {
    await using root = await tempFolder();
    const env = { ACE_MCP_AUTOSAVE: "true", ACE_MCP_SKILLBOOK_ROOT: root.path };
    {
      await using server = startRawServer(env);
      await server.initialize();
      server.call(1, "ace.learn.sample", { session_id: "s", samples: [SAMPLE] });
      await server.response(1);
      server.kill("SIGKILL");
      expect(await server.exited).toEqual({ code: null, signal: "SIGKILL" });
    }
    await using server = startRawServer(env);
    await server.initialize();
    server.call(1, "ace.skillbook.get", { session_id: "s" });
    expect(await server.response(1)).toHaveProperty("result.structuredContent.stats.skills", 1);
    server.call(2, "ace.ask", { session_id: "s", question: SAMPLE.question });
    expect(await server.response(2)).toHaveProperty("result.structuredContent.answer", "Paris");
  });
});
