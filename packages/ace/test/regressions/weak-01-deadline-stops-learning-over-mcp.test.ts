import { describe, expect, it } from "vitest";
import { Ace } from "../../src/runner/ace.ts";
import type { RunnerFactory } from "../../src/integrations/mcp/runner.ts";
import type { RoleSet } from "../../src/roles/role-set.ts";
import { createRecallRoles } from "../../src/roles/recall/index.ts";
import { testEngine } from "../integrations/mcp/support/engine.ts";

describe("weak point 1: a timeout stops the work and not only the waiting", () => {
  it("commits nothing after the deadline's reply, and frees the session", async () => {
    let reflections = 0;
    let release = (): void => undefined;
    const late = new Promise<void>((resolve) => (release = resolve));
    const recall = createRecallRoles();
    const roles: RoleSet = {
      ...recall,
      reflector: {
        // The second sample's reflection hears of no signal and ends long after the deadline.
        reflect: async (input) => {
          reflections += 1;
          if (reflections === 2) await late;
          return await recall.reflector.reflect(input);
        },
      },
    };
    const createRunner: RunnerFactory = async (_settings, { skillbook }) =>
      Ace.fromRoles(roles, { skillbook, workers: 1 });
    const engine = testEngine({ createRunner, config: { learnTimeoutSeconds: 0.3 } });
    const error = await engine.failure("ace.learn.sample", {
      session_id: "s",
      samples: [
        { question: "What is the capital of France?", ground_truth: "Paris" },
        { question: "What is the capital of Peru?", ground_truth: "Lima" },
        { question: "What is the capital of Chile?", ground_truth: "Santiago" },
      ],
    });
    expect(error).toMatchObject({
      code: "ACE_MCP_TIMEOUT",
      details: { timeout_seconds: 0.3, processed: 1, failed: 2, skill_count_after: 1 },
    });
    release();
    await new Promise((resolve) => setTimeout(resolve, 50));
    const { stats } = await engine.reply("ace.skillbook.get", { session_id: "s" });
    expect(stats).toMatchObject({ skills: 1 });
    expect(reflections).toBe(2);
  });
});
