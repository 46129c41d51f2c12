import { describe, expect, it } from "vitest";
import { connectInMemory } from "../integrations/mcp/support/in-memory.ts";
import { stubFactory } from "../integrations/mcp/support/stub-runner.ts";

describe("objects that hosts send as JSON strings (next-devtools-mcp#132)", () => {
  it("are understood", async () => {
    const stub = stubFactory();
    await using connection = await connectInMemory({ createRunner: stub.create });
    await connection.reply("ace.learn.sample", {
      session_id: "s",
      samples: '[{"question":"q","metadata":"{}"}]',
      session_config: '{"model":"m"}',
    });
    expect(stub.calls[0]).toEqual({ method: "build", settings: { model: "m" } });
    expect(stub.calls[1]).toMatchObject({ args: [[{ question: "q", metadata: {} }], {}] });
    await connection.reply("ace.ask", { session_id: "s", question: "q", metadata: "{}" });
  });

  it("and other strings are answered with the type that is expected", async () => {
    await using connection = await connectInMemory();
    const error = await connection.failure("ace.learn.sample", { session_id: "s", samples: "two" });
    expect(error.details["issues"]).toEqual([
      { path: "samples", message: "Invalid input: expected array, received string" },
    ]);
  });
});
