import { describe, expect, it } from "vitest";
import { startLineServer } from "../integrations/mcp/support/line-server.ts";

describe("error results (typescript-sdk#2748 and #1943)", () => {
  it("carry no structured content, which older hosts would check against the output schema and hide", async () => {
    await using server = await startLineServer({ config: { safeMode: true } });
    await server.initialize();
    for (const [tool, args] of [
      ["ace.ask", {}],
      ["ace.skillbook.get", { session_id: "none" }],
      ["ace.learn.sample", { session_id: "s", samples: [{ question: "q" }] }],
    ] as const) {
      const response = await server.call(tool, args);
      expect(response).toHaveProperty("result.isError", true);
      expect(response).not.toHaveProperty("result.structuredContent");
      expect(response).toHaveProperty("result.content.0.type", "text");
    }
  });
});
