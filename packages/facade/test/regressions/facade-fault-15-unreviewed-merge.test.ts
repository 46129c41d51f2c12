import { expect, it } from "vitest";
import { callerOf, PlanBench, PROJECT } from "../support/plan-bench.ts";

const request = { expected_digest: null, expected_target_head: null, message: null };
const now = { waitMs: 30_000, dryRun: false };

it("an apply names the change that was looked at, and merges no other one", async () => {
  const bench = new PlanBench();
  const { plan_id: id, changeset } = await bench.executed();
  const { diff } = await bench.plans.diffPlan(id, { format: "summary" }, callerOf());
  expect(diff.digest).toBe(changeset?.digest);
  const wrong = { ...request, expected_digest: "0".repeat(64) };
  await expect(bench.plans.applyPlan(id, { ...wrong, ...now }, callerOf())).rejects.toMatchObject({
    code: "FACADE_CONFLICT",
    details: { changeset_digest: changeset?.digest },
  });
  expect(await bench.plan(id)).toMatchObject({ phase: "execute", state: "complete" });
  const right = { ...request, expected_digest: diff.digest };
  await expect(bench.plans.applyPlan(id, { ...right, ...now }, callerOf())).resolves.toMatchObject({
    plan: { state: "applied" },
  });
});

it("an apply names the target that was looked at, and moves no other one", async () => {
  const bench = new PlanBench();
  const { plan_id: id } = await bench.executed();
  const { mergeable } = await bench.plans.diffPlan(id, { format: "summary" }, callerOf());
  const head = bench.sandboxes.commit(PROJECT, { "other.txt": "user" });
  const options = { ...request, expected_target_head: mergeable?.target_head ?? "", ...now };
  await expect(bench.plans.applyPlan(id, options, callerOf())).rejects.toMatchObject({
    code: "FACADE_CONFLICT",
    details: { target_head: head },
  });
  expect(bench.sandboxes.merges).toEqual([]);
});

it("also when the target moves after the check", async () => {
  const bench = new PlanBench();
  const { plan_id: id, base } = await bench.executed();
  bench.sandboxes.hook = (moment) => {
    if (moment === "begin") bench.sandboxes.commit(PROJECT, { "other.txt": "user" });
    return Promise.resolve();
  };
  const options = { ...request, expected_target_head: base.commit, ...now };
  await expect(bench.plans.applyPlan(id, options, callerOf())).rejects.toMatchObject({
    code: "FACADE_CONFLICT",
  });
  expect(await bench.plan(id)).toMatchObject({
    phase: "apply",
    state: "constrained",
    receipt: null,
  });
  expect(bench.sandboxes.merges).toEqual([]);
});

it("what changed in the sandbox after it was looked at is not merged", async () => {
  const bench = new PlanBench();
  const { plan_id: id, sandbox } = await bench.executed();
  if (sandbox !== null) bench.sandboxes.write(sandbox, "later.txt", "later");
  await bench.apply(id);
  expect((await bench.settled(id)).state).toBe("constrained");
  expect(bench.sandboxes.files(PROJECT)).toEqual({ "README.md": "shop" });
});
