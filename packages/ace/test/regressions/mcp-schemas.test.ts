import { describe, expect, it } from "vitest";
import { connectInMemory } from "../integrations/mcp/support/in-memory.ts";
import { stubFactory } from "../integrations/mcp/support/stub-runner.ts";

/** All property keys of a schema, at any depth. */
function keysOf(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === "properties" && typeof value === "object" && value !== null
      ? [...Object.keys(value), ...Object.values(value).flatMap(keysOf)]
      : keysOf(value),
  );
}

describe("schemas that models' APIs accept", () => {
  it("roots are plain objects, without unions at the top (weppy-roblox-mcp#77, gitlab-mcp#550)", async () => {
    await using connection = await connectInMemory();
    for (const { inputSchema, outputSchema } of (await connection.client.listTools()).tools) {
      for (const schema of [inputSchema, outputSchema]) {
        expect(schema).toMatchObject({ type: "object", additionalProperties: false });
        for (const union of ["oneOf", "anyOf", "allOf", "not", "if"])
          expect(schema).not.toHaveProperty(union);
      }
    }
  });

  it("property keys match the pattern of the Claude API (freee-mcp#15)", async () => {
    await using connection = await connectInMemory();
    const { tools } = await connection.client.listTools();
    const keys = tools.flatMap(({ inputSchema }) => keysOf(inputSchema));
    expect(keys.length).toBeGreaterThan(20);
    for (const key of keys) expect(key).toMatch(/^[a-zA-Z0-9_.-]{1,64}$/);
  });

  it("properties are published, and arguments arrive (typescript-sdk#1291, mcp-handler#107)", async () => {
    const stub = stubFactory();
    await using connection = await connectInMemory({ createRunner: stub.create });
    for (const { inputSchema } of (await connection.client.listTools()).tools)
      expect(Object.keys(inputSchema.properties ?? {}).length).toBeGreaterThan(1);
    await connection.reply("ace.ask", { session_id: "s", question: "q", context: "c" });
    expect(stub.calls.find(({ method }) => method === "ask")).toMatchObject({
      args: ["q", { context: "c" }],
    });
  });
});
