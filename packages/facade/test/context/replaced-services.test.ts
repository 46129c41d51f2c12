import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { AcpLocalFacade } from "../../src/dispatch/acp-local-facade.ts";
import type { JsonObject } from "../../src/envelope/json-value.ts";
import type { AssembledContext } from "../../src/services/context-service.ts";
import { planAt } from "../support/plan-at.ts";

async function open(services: object = {}) {
  const folder = await tempFolder("acumen-replaced");
  const facade = new AcpLocalFacade({
    projects: [folder.path],
    home: `${folder.path}-home`,
    services: services as never,
  });
  return {
    facade,
    ask: async (params: JsonObject) => {
      const { data, error } = await facade.dispatch({ operation: "context.get", params });
      const context = data["context"] as unknown as AssembledContext | undefined;
      return {
        error,
        message: data["message"],
        fragments: context?.fragments ?? [],
        warnings: context?.warnings ?? [],
      };
    },
    [Symbol.asyncDispose]: async () => {
      await facade.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const tool = (name: string) => ({ name, description: `What ${name} does.` });
const lifecycle = { useAction() {}, executePlan() {}, applyPlan() {} };

test("a context names the tools of the registry that is there now", async () => {
  const registry = { listTools: async () => ({ items: [tool("team/deploy")] }) };
  await using given = await open({ tool_registry: registry });
  expect((await given.ask({ sources: ["tools"] })).fragments).toMatchObject([
    { uri: "tools:other", content: "team/deploy: What team/deploy does.", trust: "untrusted" },
  ]);
  await using later = await open();
  expect((await later.ask({ sources: ["tools"] })).fragments[0]?.uri).toBe("tools:builtin");
  later.facade.registerService("tool_registry", registry as never);
  expect((await later.ask({ sources: ["tools"] })).fragments[0]?.uri).toBe("tools:other");
});

test("all pages of a registry are looked at, and servers that are not there are named", async () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `mcp.big/t${index}`);
  const registry = {
    listTools: async ({ cursor = "0", limit = 1 }) => {
      const from = Number(cursor);
      const next = from + limit < names.length ? String(from + limit) : null;
      const items = names
        .slice(from, from + limit)
        .map((name) => ({ ...tool(name), source: "mcp" }));
      const servers = [{ name: "slow", state: "connecting", reason: null }];
      return { items, next_cursor: next, servers };
    },
  };
  await using given = await open({ tool_registry: registry });
  const large = await given.ask({ sources: ["tools"], budget_tokens: 100_000 });
  expect(large.fragments[0]).toMatchObject({ uri: "tools:mcp", detail: "full" });
  expect(large.fragments[0]?.content.split("\n")).toHaveLength(1_000);
  expect(large.warnings).toEqual([expect.stringMatching(/server slow .*connecting/)]);
  const small = await given.ask({ sources: ["tools"], budget_tokens: 1_000 });
  expect(small.fragments[0]?.content).toMatch(/^mcp\.big\/t0, .* and 900 more$/);
  const least = await given.ask({ sources: ["tools"], budget_tokens: 256 });
  expect(least.fragments[0]).toMatchObject({ detail: "reference", content: "1000 tools" });
});

test("a plan is that of the service that is there for it, however little it tells", async () => {
  const plan = planAt("execute/complete", { plan_id: "MINE" });
  const { project: _project, ...rest } = plan;
  const change = {
    path: "a.txt",
    old_path: null,
    op: "add",
    insertions: 1,
    deletions: 0,
    note: null,
  };
  const patch = "diff --git a/a.txt b/a.txt\n+mine\n";
  const own = {
    ...lifecycle,
    getPlan: async () => rest,
    diffPlan: async () => ({ diff: { changes: [change], patch, truncated: false } }),
  };
  await using given = await open({ plan_lifecycle_service: own });
  const { fragments, error } = await given.ask({ plan_id: "MINE", view: "reviewer" });
  expect(error).toBeNull();
  const uris = fragments.map(({ uri }) => uri);
  expect(uris).toEqual(expect.arrayContaining(["plan:MINE#action", "diff:MINE/a.txt"]));

  const bare = { plan_id: "BARE", phase: "execute", state: "queued" };
  await using least = await open({
    plan_lifecycle_service: { ...lifecycle, getPlan: async () => bare },
  });
  expect(
    (await least.ask({ plan_id: "BARE", sources: ["plan", "decisions"] })).fragments,
  ).toMatchObject([
    { uri: "plan:BARE#status", content: "Phase: execute, state: queued, attempt: 1" },
  ]);
});

test("a session is that of the service that is there for it, or it is said what that lacks", async () => {
  const session = { session_id: "MINE", title: "My own" };
  const own = { create: async () => session, delete: async () => ({ session, already: false }) };
  await using readable = await open({ session_service: { ...own, get: async () => session } });
  expect((await readable.ask({ session_id: "MINE", sources: ["plan"] })).fragments).toMatchObject([
    { uri: "session:MINE", content: "Title: My own\nStatus: open" },
  ]);
  await using closed = await open({ session_service: own });
  expect((await closed.ask({ session_id: "MINE" })).error).toMatchObject({
    code: "NOT_AVAILABLE",
    details: { service: "session_service", method: "get" },
  });
});

test("history is that of the queue that is there for it", async () => {
  const plan = planAt("execute/complete", { plan_id: "MINE" });
  const { project: _project, ...rest } = plan;
  const session = { session_id: "S" };
  const event = { seq: 7, event_type: "x.mine", data: { said: "here" } };
  await using given = await open({
    plan_lifecycle_service: { ...lifecycle, getPlan: async () => rest },
    session_service: { create: async () => session, delete: async () => session },
    event_queue: {
      subscribeLocal: () => "s",
      list: async () => ({ events: [event], cursor: 7, more: false, oldest: 7 }),
    },
  });
  expect((await given.ask({ plan_id: "MINE", sources: ["history"] })).fragments).toMatchObject([
    { uri: "event:7", content: '{"said":"here"}' },
  ]);
});

test("the message is one line of bounded length, whatever others call themselves", async () => {
  const servers = Array.from({ length: 500 }, (_, index) => ({
    name: `s${index}\nnext`,
    state: "failed",
    reason: null,
  }));
  const registry = { listTools: async () => ({ items: [], next_cursor: null, servers }) };
  await using given = await open({ tool_registry: registry });
  const { message, warnings } = await given.ask({ sources: ["tools"] });
  expect(warnings).toHaveLength(500);
  expect(message).toMatch(/^0 fragments, 0 of 12000 tokens\. .*s0 next.*…$/);
  expect(message).toHaveLength(2_001);
});
