import { readdir } from "node:fs/promises";
import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import type { Plan } from "../../src/plans/plan.ts";
import { pointOf } from "../../src/plans/transitions.ts";
import { gitProject } from "../support/git-project.ts";
import { callerOf } from "../support/plan-bench.ts";
import { openEngine } from "./real-engine.ts";

const waitMs = 30_000;
const request = { expected_digest: null, expected_target_head: null, message: null };

/** Plans of a real repository and a database. */
async function openWorld() {
  const folder = await tempFolder();
  const repository = await gitProject();
  const project = {
    path: repository.path,
    name: "local/shop",
    kind: "git-checkout",
    trusted: true,
  } as const;
  const home = folder.join("home");
  let failAt: string | undefined;
  const engine = await openEngine({
    home,
    project,
    passed: (moment) => {
      if (moment !== failAt) return;
      failAt = undefined;
      throw new Error(`broken at ${moment}`);
    },
  });
  const { plans } = engine;
  const caller = callerOf();
  return {
    repository,
    plans,
    caller,
    /** The next time that this moment is passed, it fails. */
    failOnceAt: (moment: string): void => {
      failAt = moment;
    },
    create: () =>
      plans.useAction({ action_name: "builtin/task", arguments: { prompt: "x" } }, caller),
    execute: (id: string, retry = false) =>
      plans.executePlan(id, { retry, waitMs }, caller).then(({ plan }) => plan),
    apply: (id: string) =>
      plans.applyPlan(id, { ...request, waitMs, dryRun: false }, caller).then(({ plan }) => plan),
    plan: (id: string): Promise<Plan> => plans.getPlan(id, caller),
    /** What the user can see of plans that are over. */
    leftovers: async () => ({
      sandboxes: await readdir(`${home}/sandboxes`).catch(() => []),
      refs: repository.git("for-each-ref", "--format=%(refname)").trim().split("\n"),
      worktrees: repository.git("worktree", "list").trim().split("\n").length,
      status: repository.git("status", "--porcelain"),
    }),
    async [Symbol.asyncDispose]() {
      await engine.close();
      await repository[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const NOTHING_LEFT = { sandboxes: [], refs: ["refs/heads/main"], worktrees: 1, status: "" };

test("what a failed attempt leaves does not break the next one, whose change alone is merged", async () => {
  await using world = await openWorld();
  const { repository } = world;
  const { plan_id: id } = await world.create();
  for (const attempt of [1, 2]) {
    world.failOnceAt("execute is half done");
    await expect(world.execute(id, attempt > 1)).rejects.toMatchObject({
      code: "FACADE_PLAN_ERROR",
    });
    expect(await world.plan(id)).toMatchObject({ phase: "execute", state: "errored", attempt });
  }
  const executed = await world.execute(id, true);
  expect(executed).toMatchObject({ state: "complete", attempt: 3 });
  expect(executed.changeset?.changes.map(({ path }) => path)).toEqual(["new.txt"]);
  expect(await world.apply(id)).toMatchObject({
    state: "applied",
    receipt: { stats: { files: 1 } },
  });
  expect(repository.git("show", "HEAD:new.txt")).toBe("new\n");
  await expect.poll(() => world.leftovers(), { timeout: 10_000 }).toEqual(NOTHING_LEFT);
});

test("a second execute leaves the finished branch as it is, the diff shows its lines, and apply merges them", async () => {
  await using world = await openWorld();
  const { plan_id: id } = await world.create();
  const finished = await world.execute(id);
  for (const retry of [false, true]) expect(await world.execute(id, retry)).toEqual(finished);
  const { diff } = await world.plans.diffPlan(id, { format: "patch" }, world.caller);
  expect(diff.changes).toMatchObject([{ path: "new.txt", op: "add", insertions: 1 }]);
  expect(diff.patch).toContain("+new");
  const applied = await world.apply(id);
  expect(applied.receipt).toMatchObject({ stats: { files: 1, insertions: 1 } });
  expect(world.repository.git("show", "--name-only", "--format=", "-m", "HEAD").trim()).toBe(
    "new.txt",
  );
});

test("a revert begins at the target of now, and its change goes in where the one before was refused", async () => {
  await using world = await openWorld();
  const { repository, plans, caller } = world;
  const { plan_id: id } = await world.create();
  await world.execute(id);
  repository.write("new.txt", "of the user\n");
  repository.git("add", "-A");
  repository.git("commit", "-q", "-m", "User");
  const head = repository.git("rev-parse", "HEAD").trim();
  expect(await world.apply(id)).toMatchObject({
    state: "constrained",
    conflicts: [{ path: "new.txt" }],
  });
  const { plan: reverted } = await plans.revertPlan(id, { reason: "The user was faster." }, caller);
  expect(reverted).toMatchObject({
    attempt: 2,
    reversion_count: 1,
    base: { commit: head },
    findings: expect.stringMatching(/The user was faster\.[\s\S]*new\.txt/) as string,
  });
  expect(await world.execute(id)).toMatchObject({ phase: "execute", state: "complete" });
  expect(await world.apply(id)).toMatchObject({ state: "applied" });
  expect(repository.git("show", "HEAD:new.txt")).toBe("new\n");
  await expect.poll(() => world.leftovers(), { timeout: 10_000 }).toEqual(NOTHING_LEFT);
});

test("a cancel leaves no copy, branch, work tree or file, wherever it comes", async () => {
  await using world = await openWorld();
  const { plans, caller } = world;
  const cancel = async (id: string): Promise<void> => {
    expect((await plans.cancelPlan(id, caller)).plan.state).toBe("cancelled");
    await expect.poll(() => world.leftovers(), { timeout: 10_000 }).toEqual(NOTHING_LEFT);
  };
  const waiting = await world.create();
  await cancel(waiting.plan_id);
  const working = await world.create();
  await plans.executePlan(working.plan_id, { retry: false, waitMs: 0 }, caller);
  await cancel(working.plan_id);
  const finished = await world.create();
  await world.execute(finished.plan_id);
  await cancel(finished.plan_id);
  const failed = await world.create();
  world.failOnceAt("execute is half done");
  await expect(world.execute(failed.plan_id)).rejects.toThrow();
  await cancel(failed.plan_id);
});

test("a fault while a change is applied is an error in the answer and in the plan, and never a receipt", async () => {
  await using world = await openWorld();
  const { repository, plans, caller } = world;
  const { plan_id: id } = await world.create();
  await world.execute(id);
  const head = repository.git("rev-parse", "HEAD");
  world.failOnceAt("before apply");
  await expect(world.apply(id)).rejects.toMatchObject({ code: "FACADE_PLAN_ERROR" });
  const failed = await world.plan(id);
  expect(pointOf(failed)).toBe("apply/errored");
  expect(failed.receipt).toBeNull();
  expect(repository.git("rev-parse", "HEAD")).toBe(head);
  await plans.retryPlan(id, caller);
  await expect.poll(async () => (await world.plan(id)).state, { timeout: 20_000 }).toBe("applied");
  expect(repository.git("show", "HEAD:new.txt")).toBe("new\n");
});
