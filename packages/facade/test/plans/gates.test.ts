import { describe, expect, it } from "vitest";
import type { Principal } from "../../src/access/principal.ts";
import type { Scope } from "../../src/access/scope.ts";
import { PROFILE_NAMES, type ProfileName } from "../../src/plans/profile.ts";
import { pointOf } from "../../src/plans/transitions.ts";
import { planAt } from "../support/plan-at.ts";
import { callerOf, PlanBench, PROJECT, TASK } from "../support/plan-bench.ts";

const ALL: readonly Scope[] = ["plan:read", "plan:write", "plan:auto", "plan:apply"];

async function token(
  bench: PlanBench,
  scopes: readonly Scope[],
  expires_at: string | null = null,
): Promise<Principal> {
  const token_id = "token-1";
  await bench.store.addToken({
    token_id,
    hash: "h".repeat(64),
    owner: "local",
    scopes,
    created_at: "2026-01-01T00:00:00.000Z",
    expires_at,
    revoked_at: null,
  });
  return { owner: "local", tokenId: token_id, scopes };
}

/** Where a plan of each profile comes to rest by itself, and after each call of execute. */
const RESTS: Readonly<Record<ProfileName, readonly string[]>> = {
  manual: [
    "strategize/queued plan.execute",
    "strategize/complete plan.execute",
    "execute/complete plan.apply",
  ],
  supervised: ["strategize/complete plan.execute", "execute/complete plan.apply"],
  auto: ["execute/complete plan.apply"],
  "full-auto": ["apply/applied null"],
};

describe("profiles", () => {
  it.each(PROFILE_NAMES)("%s goes as far as it says and no further", async (profile) => {
    const bench = new PlanBench();
    const { plan_id: id } = await bench.create({ profile });
    for (const [index, rest] of RESTS[profile].entries()) {
      if (index > 0) await bench.execute(id);
      const plan = await bench.settled(id);
      expect(`${pointOf(plan)} ${plan.waiting_for}`).toBe(rest);
    }
    const isApplied = profile === "full-auto";
    expect(bench.sandboxes.merges).toEqual(isApplied ? [id] : []);
  });

  it.each(
    PROFILE_NAMES.flatMap((profile) =>
      [[], ["plan:auto"], ["plan:apply"], ["plan:auto", "plan:apply"]].map((extra) => ({
        profile,
        extra: extra as readonly Scope[],
      })),
    ),
  )("$profile with a token of plan:write and $extra", async ({ profile, extra }) => {
    const bench = new PlanBench();
    const principal = await token(bench, ["plan:write", ...extra]);
    const needs = { manual: null, supervised: null, auto: "plan:auto", "full-auto": "plan:apply" };
    const needed = needs[profile];
    const created = bench.create({ profile }, principal);
    if (needed === null || extra.some((scope) => scope === needed)) {
      await expect(created).resolves.toMatchObject({ profile: { name: profile } });
      return;
    }
    await expect(created).rejects.toMatchObject({
      code: "FACADE_FORBIDDEN",
      message: expect.stringContaining(needed) as string,
    });
    expect(bench.sandboxes.pins.size).toBe(0);
  });

  it("come from the plan, then the action, then the session, then the default", async () => {
    const bench = new PlanBench();
    bench.sessions.set("s1", {
      session_id: "s1",
      owner: "local",
      status: "open",
      actor_name: null,
      title: "",
      profile: "manual",
      created_at: "",
      updated_at: "",
      closed_at: null,
      version: 1,
    });
    bench.actions.set("team/auto", { ...TASK, name: "team/auto", profile: "auto" });
    const of = async (input: object) => (await bench.create(input)).profile;
    const session_id = "s1";
    const action_name = "team/auto";
    expect(await of({ session_id, action_name, profile: "supervised" })).toEqual({
      name: "supervised",
      source: "plan",
    });
    expect(await of({ session_id, action_name })).toEqual({ name: "auto", source: "action" });
    expect(await of({ session_id })).toEqual({ name: "manual", source: "session" });
    expect(await of({})).toEqual({ name: "supervised", source: "default" });
  });

  it("of an action do not give a token more than it may", async () => {
    const bench = new PlanBench();
    bench.actions.set("team/auto", { ...TASK, name: "team/auto", profile: "full-auto" });
    const principal = await token(bench, ["plan:write"]);
    await expect(bench.create({ action_name: "team/auto" }, principal)).rejects.toMatchObject({
      code: "FACADE_FORBIDDEN",
    });
  });
});

describe("the gate when it opens", () => {
  it("stays closed for a token that was revoked meanwhile, and opens by a call", async () => {
    const bench = new PlanBench();
    const principal = await token(bench, ALL);
    bench.executor.strategy = async () => {
      await bench.store.revokeToken("token-1", bench.clock.now().toISOString());
    };
    const { plan_id: id } = await bench.create({ profile: "full-auto" }, principal);
    const waiting = await bench.settled(id);
    expect(pointOf(waiting)).toBe("strategize/complete");
    expect(waiting.waiting_for).toMatch(/^plan\.execute \(.*revoked\)$/);
    expect(bench.executor.begun).toHaveLength(1);

    await bench.execute(id);
    const executed = await bench.settled(id);
    expect(pointOf(executed)).toBe("execute/complete");
    expect(executed.waiting_for).toMatch(/^plan\.apply \(.*revoked\)$/);
    expect(bench.sandboxes.merges).toEqual([]);

    await bench.apply(id);
    expect(pointOf(await bench.settled(id))).toBe("apply/applied");
  });

  it("stays closed for a token that expired meanwhile", async () => {
    const bench = new PlanBench();
    const principal = await token(bench, ALL, "2026-01-01T01:00:00.000Z");
    const { work } = bench.executor;
    bench.executor.work = (run) => {
      bench.clock.advance(2 * 3_600_000);
      return work(run);
    };
    const { plan_id: id } = await bench.create({ profile: "full-auto" }, principal);
    const plan = await bench.settled(id);
    expect(`${pointOf(plan)} ${plan.waiting_for}`).toMatch(
      /^execute\/complete plan\.apply \(.*expired\)$/,
    );
    expect(bench.sandboxes.merges).toEqual([]);
  });

  it.each([
    { point: "execute/queued" as const, waits: /^plan\.execute \(.*revoked\)$/ },
    { point: "apply/queued" as const, waits: /^plan\.apply \(.*revoked\)$/ },
  ])("is asked once more when a worker takes a plan from $point", async ({ point, waits }) => {
    const bench = new PlanBench();
    await token(bench, ALL);
    await bench.store.revokeToken("token-1", bench.clock.now().toISOString());
    const plan = planAt(point, {
      profile: { name: "full-auto", source: "plan" },
      token_id: "token-1",
      execute_requested: false,
      apply_request: null,
    });
    await bench.store.commit({ plans: [plan] });
    await bench.plans.start();
    const waiting = await bench.settled(plan.plan_id);
    expect(pointOf(waiting)).toBe(point);
    expect(waiting.waiting_for).toMatch(waits);
    expect(bench.executor.begun).toEqual([]);
    expect(bench.sandboxes.merges).toEqual([]);
  });
});

describe("models and projects", () => {
  it("never takes a scripted or recorded model from a wire, and only those that are allowed", async () => {
    const bench = new PlanBench({ settings: { allowedModels: ["openai/*"] } });
    const principal = await token(bench, ALL);
    const create = (model: string) => bench.create({ execution_model: model }, principal);
    await expect(create("openai/gpt-5")).resolves.toMatchObject({
      models: { execution: "openai/gpt-5", strategy: null },
    });
    for (const model of ["scripted//etc/passwd", "recorded/x", "anthropic/claude-x"]) {
      await expect(create(model)).rejects.toMatchObject({ code: "FACADE_FORBIDDEN" });
    }
    await expect(create("nonsense")).rejects.toMatchObject({
      code: "FACADE_VALIDATION_ERROR",
      details: { issues: [{ path: ["execution_model"] }] },
    });
    await expect(bench.create({ strategy_model: "scripted/x" })).resolves.toBeDefined();
    const open = new PlanBench();
    const other = await token(open, ALL);
    await expect(open.create({ strategy_model: "scripted/x" }, other)).rejects.toMatchObject({
      code: "FACADE_FORBIDDEN",
    });
  });

  it("uses no action of a project that is not trusted, and none of its validations", async () => {
    const bench = new PlanBench({ projects: [{ ...PROJECT, trusted: false }] });
    bench.actions.set("team/x", { ...TASK, name: "team/x", source: ".acumen/actions/x.md" });
    await expect(bench.create({ action_name: "team/x" })).rejects.toMatchObject({
      code: "FACADE_FORBIDDEN",
    });
    await expect(bench.create()).resolves.toMatchObject({ action: { validations: [] } });
  });

  it("runs nothing of a project's when trust is gone by then", async () => {
    const bench = new PlanBench();
    const validations = [{ name: "test", run: "true", timeout_seconds: 1, network: false }];
    bench.actions.set("team/x", { ...TASK, name: "team/x", source: ".acumen/x.md", validations });
    const { plan_id: id } = await bench.executed({ action_name: "team/x" });
    bench.projects = [{ ...PROJECT, trusted: false }];
    await bench.apply(id);
    const plan = await bench.settled(id);
    expect(pointOf(plan)).toBe("apply/errored");
    expect(plan.error).toMatchObject({ code: "FACADE_FORBIDDEN" });
    expect(bench.sandboxes.merges).toEqual([]);
    expect(await bench.eventTypes(id)).not.toContain("validation.started");
  });

  it("checks arguments against the action's schema, and puts values in as data", async () => {
    const bench = new PlanBench();
    await expect(bench.create({ arguments: { promt: "x" } })).rejects.toMatchObject({
      code: "FACADE_VALIDATION_ERROR",
      details: {
        issues: expect.arrayContaining([
          { path: ["arguments", "prompt"], message: "is missing" },
          { path: ["arguments", "promt"], message: "unknown field" },
        ]) as object,
      },
    });
    const plan = await bench.create({ arguments: { prompt: "{{prompt}} $& $1" } });
    expect(plan.action.prompt).toBe("Do this: {{prompt}} $& $1");
  });

  it("takes only open sessions of the caller, and unknown ones not at all", async () => {
    const bench = new PlanBench();
    await expect(bench.create({ session_id: "s9" })).rejects.toMatchObject({
      code: "FACADE_NOT_FOUND",
    });
    expect(bench.sandboxes.pins.size).toBe(0);
    await expect(
      bench.plans.getPlan("none", callerOf({ owner: "eve", tokenId: null, scopes: ALL })),
    ).rejects.toMatchObject({ code: "FACADE_NOT_FOUND" });
  });
});
