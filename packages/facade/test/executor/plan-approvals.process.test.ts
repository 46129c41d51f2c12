import { FakeClock, misbehavingServer } from "@acumen/testkit";
import { readdir } from "node:fs/promises";
import { describe, expect, test, vi } from "vitest";
import type { JsonObject } from "../../src/envelope/json-value.ts";
import type { Plan } from "../../src/plans/plan.ts";
import { pointOf } from "../../src/plans/transitions.ts";
import { MemoryFacadeStore } from "../../src/store/memory-facade-store.ts";
import { AgentWorld, type AgentWorldOptions } from "../support/agent-world.ts";

const call = (tool: string, input: object) => ({ toolCalls: [{ tool, input }] });
const write = call("write_file", { path: "written.txt", content: "w" });
const done = { text: "Done." };

/** The same for a command and for a tool of an MCP server. */
const KINDS = [
  {
    kind: "a command",
    tool: "builtin/bash",
    step: call("bash", { command: "touch made.txt" }),
    other: call("bash", { command: "touch made-too.txt" }),
  },
  {
    kind: "a tool of an MCP server",
    tool: "mcp.notes/echo",
    step: call("echo", { text: "hi" }),
    other: call("echo", { text: "hello" }),
  },
] as const;

const { command, args } = misbehavingServer("well");
const mcpServers = () => ({ notes: { command, args: [...args] } });

function open(options: AgentWorldOptions): Promise<AgentWorld> {
  return AgentWorld.open({ isolation: "none", mcpServers, ...options });
}

const isAsking = ({ pending_approvals: pending }: Plan): boolean => pending.length > 0;
const isExecuted = ({ phase, state }: Plan): boolean =>
  phase === "execute" && (state === "complete" || state === "errored");

async function callId(world: AgentWorld, id: string): Promise<string> {
  await world.until(id, isAsking);
  const { approvals } = await world.ask("approval.list", { plan_id: id });
  const [first] = approvals as readonly { readonly call_id: string }[];
  return first?.call_id ?? "";
}

/** How each call of the tool ended, by its events. */
async function ends(world: AgentWorld, id: string, tool: string): Promise<readonly unknown[]> {
  const { events } = await world.ask("event.list", { plan_id: id, limit: 1000 });
  return (events as readonly { event_type: string; data: JsonObject }[])
    .filter(({ event_type: type, data }) => /^tool\.[ce]/.test(type) && data["tool"] === tool)
    .map(({ data }) => data["status"]);
}

describe.each(KINDS)("without isolation $kind", ({ tool, step, other }) => {
  test("waits for approval.respond, and runs when it is allowed", async () => {
    await using world = await open({ steps: [step, done] });
    const id = await world.begin();
    const asking = await world.until(id, isAsking);
    expect(asking).toMatchObject({ isolation: "none", waiting_for: "approval.respond" });
    const { pending_approvals: pending } = await world.ask("plan.status", { plan_id: id });
    const { approvals } = await world.ask("approval.list");
    expect(approvals).toEqual(pending);
    expect(approvals).toMatchObject([{ plan_id: id, tool, options: expect.anything() as object }]);
    expect(await ends(world, id, tool)).toEqual([]);
    const call_id = await callId(world, id);
    const answer = { plan_id: id, call_id, decision: "allow_once" };
    expect(await world.ask("approval.respond", answer)).toMatchObject({ state: "processing" });
    const executed = await world.until(id, isExecuted);
    expect(executed).toMatchObject({ state: "complete", pending_approvals: [] });
    expect(await ends(world, id, tool)).toEqual(["completed"]);
    await expect(world.ask("approval.respond", answer)).rejects.toThrow("NOT_FOUND");
  });

  test("asks once more for the next call, unless it was allowed for the whole plan", async () => {
    await using world = await open({ steps: [step, other, other, done] });
    const id = await world.begin();
    for (const decision of ["allow_once", "allow_always"]) {
      const answer = { plan_id: id, call_id: await callId(world, id), decision };
      await world.ask("approval.respond", answer);
    }
    expect(await world.until(id, isExecuted)).toMatchObject({ state: "complete" });
    expect(await ends(world, id, tool)).toEqual(["completed", "completed", "completed"]);
  });

  test("allowed for the rest of the plan asks no more in its next attempt, and anew after a revert", async () => {
    await using world = await open({
      steps: [step, { error: { kind: "bad_request", message: "It will not." } }],
    });
    const id = await world.begin();
    const answer = { plan_id: id, call_id: await callId(world, id), decision: "allow_always" };
    await world.ask("approval.respond", answer);
    expect(await world.until(id, isExecuted)).toMatchObject({ state: "errored", attempt: 1 });
    expect(await world.ask("plan.status", { plan_id: id })).not.toHaveProperty("allowed_calls");
    await world.ask("plan.retry", { plan_id: id });
    const retried = await world.until(
      id,
      (plan) => plan.attempt === 2 && (isExecuted(plan) || isAsking(plan)),
    );
    expect(retried).toMatchObject({ state: "errored", pending_approvals: [] });
    expect(await ends(world, id, tool)).toEqual(["completed", "completed"]);
    await world.ask("plan.revert", { plan_id: id });
    await world.until(id);
    await world.ask("plan.execute", { plan_id: id });
    expect(await callId(world, id)).not.toBe("");
  });

  test("does not run when it is rejected, and the agent goes on", async () => {
    await using world = await open({ steps: [step, write, done] });
    const id = await world.begin();
    const call_id = await callId(world, id);
    await world.ask("approval.respond", { plan_id: id, call_id, decision: "reject_once" });
    const executed = await world.until(id, isExecuted);
    expect(await ends(world, id, tool)).toEqual(["rejected"]);
    expect(executed.changeset?.changes.map(({ path }) => path)).toEqual(["written.txt"]);
  });

  test("is rejected when nobody has answered for a quarter of an hour, and not before", async () => {
    const clock = new FakeClock();
    const timers: { readonly at: number; readonly ring: () => void }[] = [];
    await using world = await open({
      clock,
      after: (ms, ring) => {
        const timer = { at: clock.monotonicMs() + ms, ring };
        timers.push(timer);
        return () => void timers.splice(timers.indexOf(timer), 1);
      },
      steps: [step, write, done],
    });
    const ring = (): void => {
      for (const timer of timers.filter(({ at }) => at <= clock.monotonicMs())) timer.ring();
    };
    const id = await world.begin();
    const { pending_approvals: pending } = await world.until(id, isAsking);
    const [question] = pending;
    const waits = Date.parse(question?.expires_at ?? "") - Date.parse(question?.requested_at ?? "");
    expect(waits).toBe(15 * 60_000);
    await vi.waitFor(() => expect(timers).not.toEqual([]));
    clock.advance(15 * 60_000 - 1);
    ring();
    expect(await world.plan(id)).toMatchObject({ waiting_for: "approval.respond" });
    clock.advance(1);
    ring();
    await world.until(id, isExecuted);
    expect(await ends(world, id, tool)).toEqual(["rejected"]);
    const { events } = await world.ask("event.list", { types: ["plan.approval_answered"] });
    expect(events).toMatchObject([{ data: { decision: "reject_once", by: "timeout" } }]);
  });

  test("ends with a plan that is cancelled while it waits", async () => {
    await using world = await open({ steps: [step, done] });
    const id = await world.begin();
    const call_id = await callId(world, id);
    await world.ask("plan.cancel", { plan_id: id });
    expect(await world.plan(id)).toMatchObject({ state: "cancelled", pending_approvals: [] });
    expect((await world.ask("approval.list"))["approvals"]).toEqual([]);
    const answer = { plan_id: id, call_id, decision: "allow_once" };
    await expect(world.ask("approval.respond", answer)).rejects.toThrow("NOT_FOUND");
    expect(await ends(world, id, tool)).not.toContain("completed");
  });

  test("asks anew after a restart while it waited, and the old question is gone", async () => {
    const store = new MemoryFacadeStore({});
    await using world = await open({ store, steps: [step, done] });
    const id = await world.begin();
    const old = await callId(world, id);
    await world.local.plans.close();
    expect(await world.plan(id)).toMatchObject({ state: "queued", pending_approvals: [] });
    await using next = await open({ store, steps: [step, done], places: world.places });
    await next.local.plans.start();
    const call_id = await callId(next, id);
    expect(call_id).not.toBe(old);
    const answer = { plan_id: id, decision: "allow_once" };
    await expect(next.ask("approval.respond", { ...answer, call_id: old })).rejects.toThrow(
      "NOT_FOUND",
    );
    await next.ask("approval.respond", { ...answer, call_id });
    expect(await next.until(id, isExecuted)).toMatchObject({ state: "complete", attempt: 1 });
    expect(await ends(next, id, tool)).toContain("completed");
  });

  test("runs at once when an allow rule matches", async () => {
    await using world = await open({
      allow: ["bash(touch *)", "mcp(notes/*)"],
      steps: [step, done],
    });
    const id = await world.begin();
    expect(await world.until(id, isExecuted)).toMatchObject({ state: "complete" });
    expect(await ends(world, id, tool)).toEqual(["completed"]);
  });
});

/** What runs by itself, what waits, and what cannot even be made. */
const MATRIX = (["manual", "supervised", "auto", "full-auto"] as const).flatMap((profile) =>
  [false, true].flatMap((allowUnisolated) =>
    (["plan:write", "plan:auto", "plan:apply"] as const).map((scope) => ({
      profile,
      allowUnisolated,
      scope,
      expected: expectedOf(profile, scope, allowUnisolated),
    })),
  ),
);

function expectedOf(profile: string, scope: string, allowUnisolated: boolean): string {
  const needed = { auto: "plan:auto", "full-auto": "plan:apply" }[profile];
  if (needed !== undefined && needed !== scope) return "refused";
  return needed !== undefined && allowUnisolated ? "runs" : "waits";
}

describe("without isolation a command", () => {
  test.each(MATRIX)(
    "$expected with profile $profile, scope $scope, --allow-unisolated $allowUnisolated",
    async ({ profile, allowUnisolated, scope, expected }) => {
      await using world = await open({
        mcpServers: () => ({}),
        allowUnisolated,
        steps: [KINDS[0].step, done],
      });
      const principal = {
        owner: "local",
        tokenId: null,
        scopes: ["plan:write", scope],
      } as const;
      const begun = world.begin({ profile }, principal);
      if (expected === "refused") {
        await expect(begun).rejects.toThrow("FORBIDDEN");
        return;
      }
      const id = await begun;
      if (profile === "manual") {
        await world.until(id);
        await world.ask("plan.execute", { plan_id: id });
      }
      const seen = await world.until(
        id,
        (plan) => isAsking(plan) || isExecuted(plan) || plan.phase === "apply",
      );
      expect(isAsking(seen) ? "waits" : "runs").toBe(expected);
      const clone = seen.sandbox?.path ?? "";
      const files = await readdir(clone).catch(() => ["made.txt"]);
      expect(files.includes("made.txt")).toBe(expected === "runs");
      if (expected === "waits") expect(pointOf(seen)).toBe("execute/processing");
    },
  );
});
