import { type Logger, silentLogger } from "@acumen/core";
import { describe, expect, it } from "vitest";
import { connectInMemory } from "../integrations/mcp/support/in-memory.ts";
import { stubFactory } from "../integrations/mcp/support/stub-runner.ts";

const SECRET = "sk-live-0123456789abcdefghij";

describe("API keys (redash-mcp#30)", () => {
  it("appear neither in results nor in logs, whatever a provider's library throws", async () => {
    const lines: unknown[] = [];
    const record: Logger["info"] = (message, fields) => lines.push({ message, fields });
    const logger: Logger = {
      ...silentLogger,
      debug: record,
      info: record,
      warn: record,
      error: record,
    };
    const stub = stubFactory(() => ({
      ask: async () => {
        throw Object.assign(new Error(`POST failed, api_key=${SECRET}`), {
          requestBodyValues: { prompt: SECRET },
          responseHeaders: { authorization: `Bearer ${SECRET}` },
          cause: new Error(`Authorization: Bearer ${SECRET}`),
        });
      },
    }));
    await using connection = await connectInMemory({ createRunner: stub.create, logger });
    const result = await connection.call("ace.ask", { session_id: "s", question: "q" });
    expect(result.isError).toBe(true);
    expect(lines.length).toBeGreaterThan(0);
    expect(JSON.stringify([result, lines])).not.toContain("0123456789");
  });
});
