import { describe, expect, it } from "vitest";
import { modelError } from "@acumen/models";
import { connectInMemory } from "../integrations/mcp/support/in-memory.ts";
import { stubFactory } from "../integrations/mcp/support/stub-runner.ts";

const ASK = { session_id: "s", question: "q" };

describe("weak point 8: schema and provider failures come in the error envelope", () => {
  it("a schema failure is VALIDATION_ERROR with a list of issues", async () => {
    await using connection = await connectInMemory();
    expect(await connection.failure("ace.ask", { session_id: "s", question: 5 })).toMatchObject({
      code: "ACE_MCP_VALIDATION_ERROR",
      details: { issues: [{ path: "question" }] },
    });
  });

  it("a provider failure is PROVIDER_ERROR, and shows no key or URL credential", async () => {
    const stub = stubFactory(() => ({
      ask: async () => {
        throw modelError(
          "401 from https://user:hunter2@proxy.example: bad key sk-abcdefghijklmnop1234",
          { provider: "openai", model: "gpt-4o-mini", kind: "auth" },
        );
      },
    }));
    await using connection = await connectInMemory({ createRunner: stub.create });
    const error = await connection.failure("ace.ask", ASK);
    expect(error.code).toBe("ACE_MCP_PROVIDER_ERROR");
    expect(error.details).toEqual({
      provider: "openai",
      model: "gpt-4o-mini",
      kind: "auth",
      retryable: false,
    });
    expect(JSON.stringify(error)).not.toMatch(/hunter2|abcdefghijklmnop/);
  });
});
