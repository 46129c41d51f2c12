import { sourceCommand, startProcess, tempFolder } from "@acumen/testkit";
import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { Plan } from "../../src/plans/plan.ts";
import { pointOf } from "../../src/plans/transitions.ts";
import { isSettled } from "../../src/plans/waiting.ts";
import type { Project } from "../../src/sandbox/sandboxes.ts";
import { type GitProject, gitProject } from "../support/git-project.ts";
import { callerOf } from "../support/plan-bench.ts";
import { openEngine, type RealEngine } from "./real-engine.ts";

const CHILD = fileURLToPath(new URL("crashing-engine.ts", import.meta.url));
/** So many moments lie between the first write and the last clean-up. */
const MOMENTS = 48;
/** Each of them is tried, two at a time: one process mostly starts or waits for git while the other one works. */
const PAIRS = Array.from(
  { length: MOMENTS / 2 },
  (_, index) => [2 * index + 1, 2 * index + 2] as const,
);

const request = { expected_digest: null, expected_target_head: null, message: null };

function projectOf({ path }: GitProject): Project {
  return { path, name: "local/shop", kind: "git-checkout", trusted: true };
}

async function settled({ plans }: RealEngine, id: string): Promise<Plan> {
  for (;;) {
    const plan = await plans.getPlan(id, callerOf());
    if (isSettled(plan)) return plan;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Calls what the plan waits for, until it is over. */
async function finish(engine: RealEngine, id: string): Promise<Plan> {
  for (;;) {
    const plan = await settled(engine, id);
    if (plan.waiting_for === "plan.execute") {
      await engine.plans.executePlan(id, { retry: false, waitMs: 0 }, callerOf());
    } else if (plan.waiting_for === "plan.apply") {
      await engine.plans.applyPlan(id, { ...request, waitMs: 0, dryRun: false }, callerOf());
    } else return plan;
  }
}

describe("a process that is killed", () => {
  test("has as many moments to die at as are tried here", async () => {
    await using folder = await tempFolder();
    await using project = await gitProject();
    const options = JSON.stringify({ home: folder.join("home"), project: projectOf(project) });
    await using child = startProcess(sourceCommand(CHILD, [options, "0"]));
    expect((await child.exited).code, child.stderr()).toBe(0);
    expect(child.stdout()).toContain(`moments ${MOMENTS}\n`);
    expect(PAIRS.flat().at(-1)).toBe(MOMENTS);
  });

  test.each(PAIRS)(
    "at moment %i or %i loses nothing acknowledged and merges once",
    async (...moments) => {
      await Promise.all(moments.map((moment) => expectRepaired(moment)));
    },
  );
});

async function expectRepaired(moment: number): Promise<void> {
  await using folder = await tempFolder();
  await using project = await gitProject();
  const home = folder.join("home");
  const place = { home, project: projectOf(project) };
  await using child = startProcess(sourceCommand(CHILD, [JSON.stringify(place), String(moment)]));
  const { signal } = await child.exited;
  const said = child.stdout();
  expect({ moment, signal, stderr: child.stderr() }, said).toEqual({
    moment,
    signal: "SIGKILL",
    stderr: "",
  });

  const engine = await openEngine({ ...place, passed: () => undefined });
  try {
    await engine.plans.start();
    const { items } = await engine.plans.listPlans({ limit: 10 }, callerOf());
    const [plan] = items;
    const acknowledged = /acknowledged create (\S+)/.exec(said)?.[1];
    if (acknowledged !== undefined) expect(plan?.plan_id).toBe(acknowledged);
    if (said.includes("acknowledged execute")) expect(plan?.changeset).not.toBeNull();
    if (said.includes("acknowledged apply")) expect(plan?.receipt).not.toBeNull();
    expect(items.length).toBeLessThanOrEqual(1);
    if (plan !== undefined) await expectWhole(engine, project, plan.plan_id);
  } finally {
    await engine.close();
  }
  // The last clean-up was waited for by the close.
  const left = await readdir(`${home}/sandboxes`).catch(() => []);
  expect(left).toEqual([]);
  expect(project.git("for-each-ref", "refs/acumen")).toBe("");
  expect(project.git("status", "--porcelain")).toBe("");
}

async function expectWhole(engine: RealEngine, project: GitProject, id: string): Promise<void> {
  const over = await finish(engine, id);
  expect(pointOf(over), JSON.stringify(over.error)).toBe("apply/applied");
  expect(project.git("show", "HEAD:new.txt")).toBe("new\n");
  const merges = project.git("log", "--format=%H", `--grep=${id}`, "HEAD", "--first-parent");
  expect(merges.trim().split("\n")).toEqual([over.receipt?.commit]);
  expect(over.changeset?.changes.map(({ path }) => path)).toEqual(["new.txt"]);
  const { events } = await engine.store.events({ owner: "local", limit: 1000 });
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(events.filter(({ event_type }) => event_type === "plan.applied")).toHaveLength(1);
}
