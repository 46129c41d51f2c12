import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { callerOf, PlanBench, PROJECT } from "../support/plan-bench.ts";

const QUESTION = {
  tool: "builtin/bash",
  title: "make",
  command: "make",
  paths: [],
  input: "{}",
  reason: "No rule says so.",
  options: ["allow_once", "reject_once"],
};

describe("PlanLifecycle", () => {
  it("leaves no listeners behind, however much one run tells, asks and writes", async () => {
    const warnings: string[] = [];
    const note = ({ name }: Error): void => void warnings.push(name);
    process.on("warning", note);
    const bench = new PlanBench();
    const listeners: number[] = [];
    bench.executor.work = async (run) => {
      const count = (): number => getEventListeners(run.signal, "abort").length;
      // By then whoever began the work listens too.
      await run.event({ event_type: "tool.invoked", data: { call_id: "c", tool: "x/y" } });
      listeners.push(count());
      for (let index = 0; index < 40; index += 1) {
        await run.event({ event_type: "tool.invoked", data: { call_id: "c", tool: "x/y" } });
      }
      const asking = Array.from({ length: 20 }, (_, index) =>
        run.approve({ ...QUESTION, call_id: `call-${index}` }),
      );
      await bench.until(run.plan.plan_id, (plan) => plan.pending_approvals.length === 20);
      for (let index = 0; index < 20; index += 1) {
        const { plan_id: id } = run.plan;
        await bench.plans.respondApproval(id, `call-${index}`, "allow_once", callerOf());
      }
      await Promise.all(asking);
      listeners.push(count());
    };
    const { plan_id: id } = await bench.create();
    await bench.settled(id);
    const waiting = Array.from({ length: 20 }, () =>
      bench.plans.executePlan(id, { retry: false, waitMs: 30_000 }, callerOf()),
    );
    await Promise.all(waiting);
    // A warning comes in a later turn of the loop.
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", note);
    expect(listeners[1]).toBe(listeners[0]);
    expect(warnings).toEqual([]);
  });

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
