import { describe, expect, it } from "vitest";
import { startLineServer } from "../integrations/mcp/support/line-server.ts";
import { askResult, stubFactory, untilAbort } from "../integrations/mcp/support/stub-runner.ts";

describe("a cancelled call (mcp-ts-core#311, over stdio)", () => {
  it("reaches the model call, frees the session and gets no response", async () => {
    let aborts = 0;
    const stub = stubFactory(() => ({
      ask: async (question, { signal }) => {
        if (question !== "slow") return askResult;
        await untilAbort(signal).finally(() => (aborts += 1));
        return askResult;
      },
    }));
    await using server = await startLineServer({ createRunner: stub.create });
    await server.initialize();
    const params = { name: "ace.ask", arguments: { session_id: "s", question: "slow" } };
    server.send({ jsonrpc: "2.0", id: "cancelled-one", method: "tools/call", params });
    await expect.poll(() => stub.count("ask")).toBe(1);
    server.send({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: "cancelled-one", reason: "test" },
    });
    expect(await server.call("ace.ask", { session_id: "s", question: "q" })).toHaveProperty(
      "result.structuredContent.answer",
      "42",
    );
    expect(aborts).toBe(1);
    expect(server.output()).not.toContain("cancelled-one");
  });
});
