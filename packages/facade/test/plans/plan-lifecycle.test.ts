import { describe, expect, it } from "vitest";
import { PlanBench, PROJECT } from "../support/plan-bench.ts";

describe("PlanLifecycle", () => {
  it("carries a plan from its creation into the project", async () => {
    const bench = new PlanBench();
    const created = await bench.create();
    expect(created).toMatchObject({ phase: "strategize", state: "queued", waiting_for: null });

    const planned = await bench.settled(created.plan_id);
    expect(planned).toMatchObject({
      phase: "strategize",
      state: "complete",
      waiting_for: "plan.execute",
      strategy: { rationale: "Because it was asked for." },
    });
    expect(bench.sandboxes.files(PROJECT)).not.toHaveProperty("new.txt");

    await bench.execute(created.plan_id);
    const executed = await bench.settled(created.plan_id);
    expect(executed).toMatchObject({
      phase: "execute",
      state: "complete",
      waiting_for: "plan.apply",
      changeset: { stats: { files: 1 } },
      usage: { inputTokens: 10, outputTokens: 2 },
    });
    expect(bench.sandboxes.files(PROJECT)).not.toHaveProperty("new.txt");

    await bench.apply(created.plan_id);
    const applied = await bench.settled(created.plan_id);
    expect(applied).toMatchObject({
      phase: "apply",
      state: "applied",
      receipt: { changeset_digest: executed.changeset?.digest, validations: "none" },
    });
    expect(bench.sandboxes.files(PROJECT)).toHaveProperty("new.txt", "new");
    await expect.poll(() => bench.sandboxes.copies()).toEqual([]);
    expect(await bench.eventTypes(created.plan_id)).toEqual([
      "plan.created",
      "plan.state_changed",
      "decision.created",
      "plan.state_changed",
      "plan.phase_changed",
      "plan.state_changed",
      "sandbox.created",
      "checkpoint.created",
      "plan.state_changed",
      "plan.phase_changed",
      "plan.state_changed",
      "sandbox.committed",
      "plan.applied",
    ]);
  });
});
