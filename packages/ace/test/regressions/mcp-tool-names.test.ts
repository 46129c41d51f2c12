import { describe, expect, it } from "vitest";
import { connectInMemory } from "../integrations/mcp/support/in-memory.ts";
import { stubFactory } from "../integrations/mcp/support/stub-runner.ts";

const ASK = { session_id: "s", question: "q" };

describe("tool names that hosts accept (hostinger/api-mcp-server#48, webstudio#5960, claude-mem#3288)", () => {
  it("one setting publishes names without dots, and both spellings are served", async () => {
    await using connection = await connectInMemory({
      createRunner: stubFactory().create,
      config: { toolNames: "underscore" },
    });
    const { tools } = await connection.client.listTools();
    for (const { name } of tools) expect(name).toMatch(/^[a-z][a-zA-Z0-9_]{0,40}$/);
    for (const name of ["ace.ask", "ace_ask"])
      expect(await connection.reply(name, ASK)).toHaveProperty("answer");
  });

  it("every name starts with a letter and is within the protocol's own limits", async () => {
    await using connection = await connectInMemory();
    const { tools } = await connection.client.listTools();
    for (const { name } of tools) expect(name).toMatch(/^[a-z][A-Za-z0-9_.-]{0,63}$/);
  });
});
