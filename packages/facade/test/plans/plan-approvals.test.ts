import { describe, expect, it } from "vitest";
import { pointOf } from "../../src/plans/transitions.ts";
import { callerOf, PlanBench } from "../support/plan-bench.ts";

describe("approvals", () => {
  const question = {
    call_id: "call-1",
    tool: "builtin/bash",
    title: "ls",
    command: "ls",
    paths: [],
    input: "{}",
    reason: "It runs a command.",
    options: ["allow_once", "reject_once"],
  };

  async function asking(): Promise<{
    readonly bench: PlanBench;
    readonly id: string;
    readonly answers: readonly string[];
  }> {
    const bench = new PlanBench();
    const answers: string[] = [];
    const { work } = bench.executor;
    bench.executor.work = async (run) => {
      answers.push(await run.approve(question));
      await work(run);
    };
    const { plan_id: id } = await bench.create();
    await bench.execute(id);
    await bench.until(id, ({ pending_approvals }) => pending_approvals.length > 0);
    return { bench, id, answers };
  }

  it("stand in the plan until they are answered, once", async () => {
    const { bench, id, answers } = await asking();
    expect(await bench.plan(id)).toMatchObject({
      waiting_for: "approval.respond",
      pending_approvals: [{ call_id: "call-1", expires_at: "2026-01-01T00:15:00.000Z" }],
    });
    expect(await bench.plans.listApprovals(undefined, callerOf())).toHaveLength(1);
    const respond = (callId: string, decision: "allow_once" | "allow_always") =>
      bench.plans.respondApproval(id, callId, decision, callerOf());
    await expect(respond("call-2", "allow_once")).rejects.toMatchObject({
      code: "FACADE_NOT_FOUND",
    });
    await expect(respond("call-1", "allow_always")).rejects.toMatchObject({
      code: "FACADE_VALIDATION_ERROR",
    });
    await respond("call-1", "allow_once");
    await expect(respond("call-1", "allow_once")).rejects.toMatchObject({
      code: "FACADE_NOT_FOUND",
    });
    expect(pointOf(await bench.settled(id))).toBe("execute/complete");
    expect(answers).toEqual(["allow_once"]);
    const types = await bench.eventTypes(id);
    expect(types).toEqual(
      expect.arrayContaining(["plan.approval_requested", "plan.approval_answered"]),
    );
  });

  it("are rejected when nobody answers in time", async () => {
    const { bench, id, answers } = await asking();
    bench.clock.advance(15 * 60_000);
    bench.ring(15 * 60_000);
    await bench.until(id, ({ state }) => state === "complete");
    expect(answers).toEqual(["reject_once"]);
    const answered = (await bench.events(id)).find(
      ({ event_type }) => event_type === "plan.approval_answered",
    );
    expect(answered?.data).toMatchObject({ decision: "reject_once", by: "timeout" });
  });

  it("for the rest of the plan hold for its next attempts, for that call alone, and not after a revert", async () => {
    const bench = new PlanBench();
    const answers: string[] = [];
    bench.executor.work = async (run) => {
      const options = ["allow_once", "allow_always", "reject_once"];
      for (const call of ["ls", "rm"]) {
        const asked = { ...question, options, call_id: `${call}-${run.plan.attempt}` };
        answers.push(await run.approve({ ...asked, remember_as: call }));
      }
      answers.push(await run.approve({ ...question, call_id: `once-${run.plan.attempt}` }));
      throw new Error("broken");
    };
    const asked = async (id: string): Promise<string> => {
      const { pending_approvals: pending } = await bench.until(
        id,
        (plan) => plan.pending_approvals.length > 0,
      );
      return pending[0]?.call_id ?? "";
    };
    const answer = async (id: string, call: string, decision: "allow_once" | "allow_always") => {
      expect(await asked(id)).toBe(call);
      await bench.plans.respondApproval(id, call, decision, callerOf());
    };
    const { plan_id: id } = await bench.create();
    await bench.execute(id);
    await answer(id, "ls-1", "allow_always");
    await answer(id, "rm-1", "allow_once");
    await answer(id, "once-1", "allow_once");
    expect(await bench.settled(id)).toMatchObject({ state: "errored", allowed_calls: ["ls"] });
    await bench.execute(id, true);
    await answer(id, "rm-2", "allow_always");
    await answer(id, "once-2", "allow_once");
    expect(await bench.settled(id)).toMatchObject({ allowed_calls: ["ls", "rm"] });
    expect(answers.slice(3)).toEqual(["allow_always", "allow_always", "allow_once"]);
    await bench.plans.revertPlan(id, {}, callerOf());
    expect(await bench.settled(id)).toMatchObject({ allowed_calls: [] });
    await bench.execute(id);
    expect(await asked(id)).toBe("ls-3");
    await bench.plans.close();
  });

  it("end with the plan", async () => {
    const { bench, id, answers } = await asking();
    const { plan } = await bench.plans.cancelPlan(id, callerOf());
    expect(plan.pending_approvals).toEqual([]);
    expect(answers).toEqual([]);
  });
});
