import { AcumenError } from "@acumen/core";
import { describe, expect, it } from "vitest";
import { PlanError } from "../../src/errors/domain-error.ts";
import { pointOf } from "../../src/plans/transitions.ts";
import { callerOf, PlanBench, PROJECT, TASK } from "../support/plan-bench.ts";
import { ScriptedExecutor, untilStopped } from "../support/scripted-executor.ts";

const NO_REQUEST = { expected_digest: null, expected_target_head: null, message: null };

describe("the worker pool", () => {
  it("runs four plans at once and no more, and shares them among projects", async () => {
    const other = { ...PROJECT, path: "/projects/bank", name: "local/bank" };
    const bench = new PlanBench({ projects: [PROJECT, other] });
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    bench.executor.strategy = () => held;
    const many = await Promise.all(Array.from({ length: 8 }, () => bench.create()));
    const late = await bench.create({ project: "local/bank" });
    await expect.poll(() => bench.executor.running).toBe(4);
    release();
    await Promise.all([...many, late].map(({ plan_id }) => bench.settled(plan_id)));
    expect(bench.executor.most).toBe(4);
    const order = bench.executor.begun.map((text) => text.split(" ")[0]);
    // It came last, and was the first of those that waited.
    expect(order.indexOf(late.plan_id)).toBeLessThanOrEqual(4);
    expect(new Set(order).size).toBe(9);
  });

  it("applies a plan although all workers are busy", async () => {
    const bench = new PlanBench();
    const { plan_id: id } = await bench.executed();
    bench.executor.strategy = untilStopped;
    await Promise.all(Array.from({ length: 5 }, () => bench.create()));
    await expect.poll(() => bench.executor.running).toBe(4);
    await bench.apply(id);
    expect(pointOf(await bench.settled(id))).toBe("apply/applied");
    await bench.plans.close();
  });
});

describe("plan.execute", () => {
  it("before the strategy is finished registers the intent, and waits for the whole", async () => {
    const bench = new PlanBench();
    const { plan_id: id } = await bench.create();
    const options = { retry: false, waitMs: 30_000 };
    const { plan } = await bench.plans.executePlan(id, options, callerOf());
    expect(pointOf(plan)).toBe("execute/complete");
    expect(bench.executor.begun).toHaveLength(2);
  });

  it("while it waits, an abort of the caller ends the waiting and not the plan", async () => {
    const bench = new PlanBench();
    let release = (): void => undefined;
    bench.executor.strategy = () =>
      new Promise((resolve) => {
        release = resolve;
      });
    const { plan_id: id } = await bench.create();
    const controller = new AbortController();
    const waiting = bench.plans.executePlan(
      id,
      { retry: false, waitMs: 30_000 },
      callerOf(undefined, controller.signal),
    );
    await expect.poll(() => bench.executor.running).toBe(1);
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: "CORE_ABORTED" });
    release();
    expect(pointOf(await bench.settled(id))).toBe("execute/complete");
  });

  it("waits no longer than half a minute", async () => {
    const bench = new PlanBench();
    bench.executor.strategy = untilStopped;
    const { plan_id: id } = await bench.create();
    const waiting = bench.plans.executePlan(id, { retry: false, waitMs: 99_000_000 }, callerOf());
    await expect.poll(() => bench.timers.map(({ ms }) => ms)).toContain(30_000);
    bench.ring(30_000);
    expect((await waiting).plan.state).toBe("processing");
    await bench.plans.close();
  });

  it("with a version that is not the plan's is CONFLICT", async () => {
    const bench = new PlanBench();
    const { plan_id: id } = await bench.create();
    await bench.settled(id);
    const options = { retry: false, waitMs: 0, expectedVersion: 1 };
    await expect(bench.plans.executePlan(id, options, callerOf())).rejects.toMatchObject({
      code: "FACADE_CONFLICT",
    });
  });
});

describe("a phase that fails", () => {
  it("keeps a coded error without secrets, and runs again with retry", async () => {
    const bench = new PlanBench();
    const key = `sk-${"a1B2".repeat(12)}`;
    const { work } = bench.executor;
    bench.executor.work = () =>
      Promise.reject(
        new AcumenError({ code: "MODEL_FAILED", message: `No answer for ${key}`, retryable: true }),
      );
    const { plan_id: id } = await bench.executed();
    const failed = await bench.plan(id);
    expect(failed).toMatchObject({
      phase: "execute",
      state: "errored",
      error: { code: "MODEL_FAILED", phase: "execute", attempt: 1, retryable: true },
      waiting_for: "plan.retry or plan.revert",
    });
    expect(JSON.stringify([failed, await bench.events(id)])).not.toContain(key);

    bench.executor.work = work;
    await expect(bench.execute(id)).rejects.toMatchObject({ code: "FACADE_INVALID_STATE" });
    const retried = await bench.execute(id, true);
    expect(retried).toMatchObject({ state: "queued", attempt: 2, error: null, sandbox: null });
    expect(await bench.settled(id)).toMatchObject({
      state: "complete",
      sandbox: { attempt: 2 },
      error: null,
    });
  });

  it("by a fault of the program says only where the log has it", async () => {
    const bench = new PlanBench();
    bench.executor.work = () => Promise.reject(new TypeError("/secret/path is not a function"));
    const { error } = await bench.executed();
    expect(error).toMatchObject({ code: "FACADE_INTERNAL_ERROR" });
    expect(JSON.stringify(error)).not.toContain("/secret/path");
    expect(bench.logged.join("\n")).toContain(JSON.stringify(error?.details["correlation_id"]));
  });

  it.each(["fails", "is cancelled", "is interrupted"] as const)(
    "counts the tokens of a run that %s",
    async (end) => {
      const bench = new PlanBench();
      bench.executor.work = (run) => {
        run.spent({ inputTokens: 5, outputTokens: 1 });
        run.spent({ inputTokens: 2, outputTokens: 2 });
        return end === "fails" ? Promise.reject(new PlanError("No.")) : untilStopped(run);
      };
      const { plan_id: id } = await bench.create();
      await bench.settled(id);
      await bench.execute(id);
      await expect.poll(() => bench.executor.begun.length).toBe(2);
      if (end === "fails") await bench.settled(id);
      if (end === "is cancelled") await bench.plans.cancelPlan(id, callerOf());
      if (end === "is interrupted") await bench.plans.close();
      expect((await bench.plan(id)).usage).toEqual({ inputTokens: 7, outputTokens: 3 });
      if (end !== "fails") return;
      bench.executor.work = () => Promise.resolve();
      await bench.execute(id, true);
      expect((await bench.settled(id)).usage).toEqual({ inputTokens: 17, outputTokens: 5 });
    },
  );

  it("is PLAN_ERROR for whoever waits for it", async () => {
    const bench = new PlanBench();
    bench.executor.work = () => Promise.reject(new PlanError("The model refused."));
    const { plan_id: id } = await bench.create();
    const waiting = bench.plans.executePlan(id, { retry: false, waitMs: 5000 }, callerOf());
    await expect(waiting).rejects.toMatchObject({
      code: "FACADE_PLAN_ERROR",
      details: { plan_id: id, phase: "execute", state: "errored" },
    });
  });

  it("an executor cannot say what becomes of its plan", async () => {
    const bench = new PlanBench();
    bench.executor.work = (run) => {
      const data = { phase: "apply", state: "applied", attempt: 1, version: 9 };
      return run.event({ event_type: "plan.applied", data });
    };
    const { error } = await bench.executed();
    expect(error).toMatchObject({ code: "FACADE_VALIDATION_ERROR" });
    expect(error?.message).toContain("plan.applied");
  });
});

describe("plan.revert", () => {
  it("plans anew at the target as it is now, with what went wrong, three times at most", async () => {
    const bench = new PlanBench();
    bench.executor.work = ({ sandbox }) => {
      bench.sandboxes.write(sandbox, "README.md", `plan ${sandbox.attempt}`);
      return Promise.resolve();
    };
    const { plan_id: id } = await bench.executed();
    const head = bench.sandboxes.commit(PROJECT, { "README.md": "user" });
    await bench.apply(id);
    const constrained = await bench.settled(id);
    expect(constrained).toMatchObject({
      state: "constrained",
      conflicts: [{ path: "README.md", kind: "content" }],
      waiting_for: "plan.apply, plan.revert or plan.cancel",
    });
    expect(bench.sandboxes.files(PROJECT)).toMatchObject({ "README.md": "user" });

    const { plan } = await bench.plans.revertPlan(id, { reason: "Mind the user." }, callerOf());
    expect(plan).toMatchObject({
      phase: "strategize",
      attempt: 2,
      reversion_count: 1,
      base: { commit: head },
      conflicts: null,
      execute_requested: false,
    });
    expect(plan.findings).toContain("Mind the user.");
    expect(plan.findings).toContain("README.md");
    await bench.settled(id);
    for (const count of [2, 3]) {
      await bench.execute(id);
      await bench.settled(id);
      await bench.plans.revertPlan(id, {}, callerOf());
      expect((await bench.settled(id)).reversion_count).toBe(count);
    }
    await bench.execute(id);
    await bench.settled(id);
    await expect(bench.plans.revertPlan(id, {}, callerOf())).rejects.toMatchObject({
      code: "FACADE_INVALID_STATE",
      message: expect.stringContaining("it was reverted 3 times"),
      details: { allowed_operations: expect.not.arrayContaining(["plan.revert"]) },
    });
    await expect(bench.plans.revertPlan(id, {}, callerOf())).rejects.toThrow(
      /Possible: plan\.execute, plan\.diff, plan\.apply, plan\.cancel\./,
    );
    bench.sandboxes.commit(PROJECT, { "README.md": "user, again" });
    await bench.apply(id);
    expect(await bench.settled(id)).toMatchObject({
      state: "constrained",
      waiting_for: "plan.apply or plan.cancel",
    });
  });
});

describe("plan.cancel", () => {
  it("stops work within a second, cleans up, and nothing comes afterwards", async () => {
    const bench = new PlanBench();
    let late: Promise<unknown> = Promise.resolve();
    bench.executor.work = async (run) => {
      await untilStopped(run).catch(() => undefined);
      late = run.event({ event_type: "tool.completed", data: { call_id: "1", tool: "x" } });
      await late;
    };
    const { plan_id: id } = await bench.create();
    await bench.execute(id);
    await bench.until(id, ({ sandbox }) => sandbox !== null);
    await expect.poll(() => bench.executor.running).toBe(1);
    const started = performance.now();
    const { plan } = await bench.plans.cancelPlan(id, callerOf());
    expect(performance.now() - started).toBeLessThan(3000);
    expect(pointOf(plan)).toBe("execute/cancelled");
    await expect(late).rejects.toMatchObject({ code: "FACADE_PLAN_ERROR" });
    await expect.poll(() => bench.sandboxes.copies()).toEqual([]);
    expect((await bench.eventTypes(id)).slice(-2)).toEqual([
      "plan.cancelled",
      "sandbox.rolled_back",
    ]);
    await expect(bench.plans.cancelPlan(id, callerOf())).resolves.toMatchObject({ already: true });
  });

  it("answers also when the work does not stop", async () => {
    const bench = new PlanBench();
    let release = (): void => undefined;
    bench.sandboxes.hook = (moment) =>
      moment === "create"
        ? new Promise((resolve) => {
            release = resolve;
          })
        : Promise.resolve();
    const { plan_id: id } = await bench.create();
    await bench.until(id, ({ state }) => state === "processing");
    const cancelled = bench.plans.cancelPlan(id, callerOf());
    await expect.poll(() => bench.timers.map(({ ms }) => ms)).toContain(800);
    bench.ring(800);
    expect(pointOf((await cancelled).plan)).toBe("strategize/cancelled");
    release();
    await expect.poll(() => bench.sandboxes.removed).toContain(id);
  });

  it("does not hold up a close when removing takes long; the next start sweeps", async () => {
    const bench = new PlanBench();
    const { plan_id: id } = await bench.executed();
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => void (release = resolve));
    let began = false;
    const remove = bench.sandboxes.remove.bind(bench.sandboxes);
    bench.sandboxes.remove = async (plan) => {
      began = true;
      await gate;
      await remove(plan);
    };
    const cancelled = bench.plans.cancelPlan(id, callerOf());
    await expect.poll(() => began).toBe(true);
    bench.ring(800);
    await cancelled;
    const closed = bench.plans.close();
    await expect.poll(() => bench.timers.map(({ ms }) => ms)).toContain(2000);
    bench.ring(2000);
    await closed;
    release();
    await expect.poll(() => bench.sandboxes.copies()).toEqual([]);
    // Whoever listened has gone.
    expect((await bench.eventTypes(id)).at(-1)).toBe("plan.cancelled");
  });

  it("keeps the change of a finished attempt readable", async () => {
    const bench = new PlanBench();
    const { plan_id: id } = await bench.executed();
    await bench.plans.cancelPlan(id, callerOf());
    const { diff } = await bench.plans.diffPlan(id, { format: "patch" }, callerOf());
    expect(diff).toMatchObject({ changes: [{ path: "new.txt" }], truncated: false });
    expect(diff.patch).toContain("new.txt");
    expect(bench.sandboxes.copies()).toEqual([]);
  });
});

describe("without an executor", () => {
  it("plans are made and wait, and go on when one comes", async () => {
    const bench = new PlanBench({ executor: "none" });
    const { plan_id: id, waiting_for } = await bench.create();
    const manual = await bench.create({ profile: "manual" });
    expect(waiting_for).toBe("service plan_executor");
    await expect(bench.execute(id)).rejects.toMatchObject({
      code: "FACADE_NOT_AVAILABLE",
      message: expect.stringContaining("plan_executor") as string,
    });
    expect((await bench.plan(id)).version).toBe(1);
    await bench.plans.useExecutor(new ScriptedExecutor());
    expect(pointOf(await bench.settled(id))).toBe("strategize/complete");
    expect(await bench.plan(manual.plan_id)).toMatchObject({
      state: "queued",
      waiting_for: "plan.execute",
    });
  });
});

describe("plan.apply", () => {
  it("as a dry run says what would happen and does nothing", async () => {
    const bench = new PlanBench();
    const { plan_id: id, version } = await bench.executed();
    const options = { ...NO_REQUEST, waitMs: 0, dryRun: true };
    expect(await bench.plans.applyPlan(id, options, callerOf())).toMatchObject({
      plan: { version, state: "complete" },
      mergeable: { clean: true, behind: 0 },
    });
    expect(bench.sandboxes.merges).toEqual([]);
  });

  it.each(["apply/queued", "apply/processing", "apply/applied"] as const)(
    "at %s with another digest or head than that of the change is CONFLICT, with the same one acknowledged",
    async (point) => {
      const bench = new PlanBench();
      const { plan_id: id, base, changeset } = await bench.executed();
      let release = (): void => undefined;
      bench.sandboxes.hook = (moment) =>
        moment === "begin" && point !== "apply/applied"
          ? new Promise((resolve) => {
              release = resolve;
            })
          : Promise.resolve();
      if (point === "apply/queued") {
        const now = await bench.plan(id);
        const at = { phase: "apply", state: "queued", waiting_for: null } as const;
        const queued = { ...now, ...at, version: now.version + 1 };
        await bench.store.commit({ plans: [queued] });
      } else {
        await bench.apply(id);
        await bench.until(id, (plan) => pointOf(plan) === point);
      }
      const apply = (request: object) => {
        const options = { ...NO_REQUEST, ...request, waitMs: 0, dryRun: false };
        return bench.plans.applyPlan(id, options, callerOf());
      };
      const before = await bench.plan(id);
      await expect(apply({ expected_digest: "0".repeat(64) })).rejects.toMatchObject({
        code: "FACADE_CONFLICT",
        details: { changeset_digest: changeset?.digest },
      });
      await expect(apply({ expected_target_head: "another" })).rejects.toMatchObject({
        code: "FACADE_CONFLICT",
        details: { target_head: base.commit },
      });
      expect(await bench.plan(id)).toEqual(before);
      const same = { expected_digest: changeset?.digest, expected_target_head: base.commit };
      expect(await apply(same)).toMatchObject({ already: true });
      release();
    },
  );

  it("tells the head that the change went onto, which later calls are held to", async () => {
    const bench = new PlanBench();
    const { plan_id: id } = await bench.executed();
    const head = bench.sandboxes.commit(PROJECT, { "other.txt": "user" });
    await bench.apply(id);
    expect((await bench.settled(id)).receipt).toMatchObject({ target_head: head });
  });

  it.each([
    { status: "failed", point: "apply/constrained", type: "plan.constrained" },
    { status: "passed", point: "apply/applied", type: "plan.applied" },
  ] as const)(
    "tells of validations that $status by sizes, and keeps what they said",
    async (row) => {
      const bench = new PlanBench();
      bench.sandboxes.outcomes.set("test", row.status);
      bench.sandboxes.output = "what the command said";
      const validations = [{ name: "test", run: "true", timeout_seconds: 1, network: false }];
      bench.actions.set("team/x", { ...TASK, name: "team/x", source: ".acumen/x.md", validations });
      const { plan_id: id } = await bench.executed({ action_name: "team/x" });
      await bench.apply(id);
      const plan = await bench.settled(id);
      expect(pointOf(plan)).toBe(row.point);
      expect(plan.validations).toMatchObject([{ output: "what the command said" }]);
      const events = await bench.events(id);
      expect(JSON.stringify(events)).not.toContain("what the command said");
      const told = events.find(({ event_type: type }) => type === row.type);
      expect(JSON.stringify(told)).toContain('"output_chars":21');
    },
  );

  it("needs the scope plan:apply by whatever operation", async () => {
    const bench = new PlanBench();
    const { plan_id: id } = await bench.executed();
    const caller = callerOf({ owner: "local", tokenId: null, scopes: ["plan:write"] });
    const options = { ...NO_REQUEST, waitMs: 0, dryRun: false };
    await expect(bench.plans.applyPlan(id, options, caller)).rejects.toMatchObject({
      code: "FACADE_FORBIDDEN",
    });
    bench.sandboxes.hook = () => Promise.reject(new PlanError("disk full"));
    await bench.apply(id);
    expect(pointOf(await bench.settled(id))).toBe("apply/errored");
    await expect(bench.plans.retryPlan(id, caller)).rejects.toMatchObject({
      code: "FACADE_FORBIDDEN",
    });
    bench.sandboxes.hook = () => Promise.resolve();
    await bench.plans.retryPlan(id, callerOf());
    expect(pointOf(await bench.settled(id))).toBe("apply/applied");
  });

  it("after a fault in the middle says applied when the target has it", async () => {
    const bench = new PlanBench();
    const { plan_id: id, changeset } = await bench.executed();
    bench.sandboxes.hook = (moment) =>
      moment === "moved" ? Promise.reject(new PlanError("lost the disk")) : Promise.resolve();
    await bench.apply(id);
    expect(await bench.settled(id)).toMatchObject({
      state: "applied",
      receipt: { stats: changeset?.stats },
      merge: null,
    });
  });

  it("cannot be cancelled once the target moves", async () => {
    const bench = new PlanBench();
    const { plan_id: id } = await bench.executed();
    let release = (): void => undefined;
    bench.sandboxes.hook = (moment) =>
      moment === "moved"
        ? new Promise((resolve) => {
            release = resolve;
          })
        : Promise.resolve();
    await bench.apply(id);
    await bench.until(id, ({ merge }) => merge !== null);
    await expect.poll(() => bench.sandboxes.merges).toEqual([id]);
    await expect(bench.plans.cancelPlan(id, callerOf())).rejects.toMatchObject({
      code: "FACADE_INVALID_STATE",
      details: { allowed_operations: expect.not.arrayContaining(["plan.cancel"]) as object },
    });
    release();
    expect(pointOf(await bench.settled(id))).toBe("apply/applied");
  });

  it("by a cancel before the target moves leaves the project alone", async () => {
    const bench = new PlanBench();
    const { plan_id: id } = await bench.executed();
    let release = (): void => undefined;
    bench.sandboxes.hook = (moment) =>
      moment === "begin"
        ? new Promise((resolve) => {
            release = resolve;
          })
        : Promise.resolve();
    await bench.apply(id);
    await bench.until(id, ({ state }) => state === "processing");
    const cancelled = bench.plans.cancelPlan(id, callerOf());
    await bench.until(id, ({ state }) => state === "cancelled");
    release();
    expect(pointOf((await cancelled).plan)).toBe("apply/cancelled");
    expect(bench.sandboxes.files(PROJECT)).toEqual({ "README.md": "shop" });
  });
});

it("keeps the text of an action as it was when the plan was made", async () => {
  const bench = new PlanBench();
  const { plan_id: id, action } = await bench.create();
  bench.actions.set(TASK.name, { ...TASK, body: "Something else", digest: "1".repeat(64) });
  await bench.execute(id);
  expect((await bench.settled(id)).action).toEqual(action);
});
