import { FakeClock } from "@acumen/testkit";
import { describe, expect, it } from "vitest";
import { testEngine } from "../integrations/mcp/support/engine.ts";
import { addSkills, learnReport, stubFactory } from "../integrations/mcp/support/stub-runner.ts";

describe("weak point 4: the sweep respects sessions at work", () => {
  it("keeps a session that learns for longer than the TTL, and counts idle time from the end", async () => {
    const clock = new FakeClock();
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const stub = stubFactory((book) => ({
      learn: async () => {
        await finished;
        addSkills(book, "learned");
        return learnReport;
      },
    }));
    const engine = testEngine({
      createRunner: stub.create,
      clock,
      config: { sessionTtlSeconds: 10 },
    });
    const samples = [{ question: "q" }];
    const learning = engine.reply("ace.learn.sample", { session_id: "s", samples });
    await expect.poll(() => stub.count("learn")).toBe(1);
    clock.advance(60_000);
    await engine.reply("ace.ask", { session_id: "other", question: "q" });
    const reading = engine.reply("ace.skillbook.get", { session_id: "s" });
    finish();
    await learning;
    expect(await reading).toMatchObject({ stats: { skills: 1 } });
    clock.advance(9_000);
    expect(await engine.reply("ace.skillbook.get", { session_id: "s" })).toMatchObject({
      stats: { skills: 1 },
    });
    clock.advance(10_001);
    expect(await engine.failure("ace.skillbook.get", { session_id: "s" })).toMatchObject({
      code: "ACE_MCP_SESSION_NOT_FOUND",
    });
  });
});
