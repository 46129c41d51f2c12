import { FakeClock } from "@acumen/testkit";
import { describe, expect, it } from "vitest";
import type { RunnerFactory } from "../../src/integrations/mcp/runner.ts";
import { testEngine } from "../integrations/mcp/support/engine.ts";
import { askResult, stubFactory, untilAbort } from "../integrations/mcp/support/stub-runner.ts";

describe("weak point 5: nothing slow of one session holds up another", () => {
  it("neither building a runner, nor working, nor expiring", async () => {
    const clock = new FakeClock();
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const stub = stubFactory(() => ({
      ask: async (question) => {
        if (question === "slow") await released;
        return askResult;
      },
    }));
    const createRunner: RunnerFactory = async (settings, context) => {
      if (settings.model === "slow-to-build") await released;
      return await stub.create(settings, context);
    };
    const engine = testEngine({ createRunner, clock, config: { sessionTtlSeconds: 1 } });
    const building = engine.reply("ace.ask", {
      session_id: "a",
      question: "q",
      session_config: { model: "slow-to-build" },
    });
    const working = engine.reply("ace.ask", { session_id: "b", question: "slow" });
    for (let index = 0; index < 20; index += 1) {
      await engine.reply("ace.ask", { session_id: `c${index}`, question: "q" });
      clock.advance(1_001);
    }
    expect(engine.registry.size).toBe(3);
    release();
    await Promise.all([building, working]);
  });

  it("asking has a deadline of its own", async () => {
    const stub = stubFactory(() => ({ ask: async (_question, { signal }) => untilAbort(signal) }));
    const engine = testEngine({ createRunner: stub.create, config: { askTimeoutSeconds: 0.02 } });
    expect(await engine.failure("ace.ask", { session_id: "s", question: "q" })).toMatchObject({
      code: "ACE_MCP_TIMEOUT",
    });
  });
});
