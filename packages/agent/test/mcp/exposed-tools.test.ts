import { describe, expect, test } from "vitest";
import { FakeManager } from "./fakes/fake-manager.ts";
import { resolvedServer, stdioDefinition } from "./live/changing-source.ts";
import { eventually } from "./live/live-servers.ts";

function server(name: string) {
  return resolvedServer(name, stdioDefinition(name, []));
}

/** Servers with these tools, enabled, in this order. */
function managerOf(tools: Readonly<Record<string, readonly string[]>>): FakeManager {
  const made = new FakeManager();
  for (const [name, names] of Object.entries(tools)) made.tools.set(name, names);
  made.source.set(...Object.keys(tools).map(server));
  return made;
}

function many(begin: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${begin}${index}`);
}

describe("more tools than a model can be given", () => {
  test("of one early server leave later ones short, and each of them says so", async () => {
    await using made = managerOf({ small: ["s"], big: many("b", 200), late: ["l", "m"] });
    await made.ready();
    expect(made.exposed()).toEqual(["s", ...many("b", 118)]);
    expect(made.status("small")).not.toHaveProperty("reason");
    expect(made.status("big")).toMatchObject({ state: "connected", tool_count: 118 });
    expect(made.status("big").reason).toBe(
      '82 of its 200 tools are left out: A model can be given 119 tools of servers. Those of small come first. Choose fewer with "enabledTools" in the definitions, or pause or disable servers.',
    );
    expect(made.status("big").quarantined).toHaveLength(82);
    expect(made.status("late")).toMatchObject({
      tool_count: 0,
      reason: expect.stringContaining("2 of its 2 tools are left out") as unknown,
      quarantined: [
        { tool: "l", reason: "A model can be given 119 tools of servers." },
        { tool: "m", reason: "A model can be given 119 tools of servers." },
      ],
    });
    expect(made.status("late").reason).toContain("Those of small, big come first.");
    const told = made.changes.filter(({ reason }) => reason?.includes("left out"));
    expect(new Set(told.map(({ server: name }) => name))).toEqual(new Set(["big", "late"]));
    await made.manager.pause("big");
    expect(made.exposed()).toEqual(["s", "l", "m"]);
    expect(made.status("late")).not.toHaveProperty("reason");
    expect(made.changes).toContainEqual({
      server: "late",
      state: "connected",
      previous: "connected",
      reason: null,
    });
  });

  test("are as many as other tools leave room for, and a refused one makes room", async () => {
    let room = 2;
    await using made = new FakeManager({ room: () => room });
    made.tools.set("one", ["a", "b", "c", "d"]);
    made.source.set(server("one"));
    await made.ready();
    expect(made.exposed()).toEqual(["a", "b"]);
    expect(made.manager.quarantine("a", "its schema")).toBe(true);
    expect(made.exposed()).toEqual(["b", "c"]);
    expect(made.status("one")).toMatchObject({ tool_count: 2, quarantined: { length: 2 } });
    expect(made.status("one").reason).toContain("1 of its 3 tools are left out");
    room = 3;
    expect(made.exposed()).toEqual(["b", "c", "d"]);
    room = -1;
    expect(made.exposed()).toEqual([]);
  });

  test("the list is the same one until something changes", async () => {
    await using made = managerOf({ one: ["a", "b"] });
    await made.ready();
    const before = made.manager.tools();
    expect(made.manager.tools()).toBe(before);
    made.connection("one").change(["a", "c"]);
    await eventually(() => expect(made.exposed()).toEqual(["a", "c"]));
    const after = made.manager.tools();
    await made.manager.pause("one");
    expect(made.exposed()).toEqual([]);
    await made.manager.resume("one");
    expect(made.exposed()).toEqual(["a", "b"]);
    expect(made.manager.tools()).not.toBe(after);
    made.manager.quarantine("a", "refused");
    expect(made.exposed()).toEqual(["b"]);
  });
});

describe("a tool that was given before", () => {
  test("is explained by what became of its server, and another name is not", async () => {
    await using made = managerOf({ one: ["a", "b"], two: ["c"] });
    await made.ready();
    made.exposed();
    const why = (name = "a"): string | undefined => made.manager.explain(name);
    expect(why("z")).toBeUndefined();
    expect(why()).toContain("is there again");
    made.connection("one").change(["b"]);
    await eventually(() => expect(why()).toContain("the server no longer offers it."));
    made.connection("one").change(["a", "b"]);
    await eventually(() => expect(why()).toContain("is there again"));
    made.manager.quarantine("a", "Its schema is refused.");
    expect(why()).toBe(
      "a of the MCP server one cannot be called now: it is left out. Its schema is refused.",
    );
    expect(why("b")).toContain("is there again");
    await made.manager.pause("one");
    expect(why("b")).toBe(
      "b of the MCP server one cannot be called now: the server is paused. Do without it, or say that `/mcp resume one` brings it back.",
    );
    made.source.change("one", { enabled: false });
    await eventually(() => expect(why()).toContain("the server is disabled. Do without it"));
    made.source.change("one", { enabled: true, missing: true });
    await eventually(() => expect(why()).toMatch(/is defined nowhere\. .*acumen mcp add one/));
    made.source.remove("one");
    await eventually(() => expect(why()).toContain("not configured any more"));
    made.connection("two").die({ kind: "needs_auth", message: "HTTP 401. Add a header." });
    expect(why("c")).toBe(
      "c of the MCP server two cannot be called now: the server does not work. needs_auth: HTTP 401. Add a header. Do without it, or say that `/mcp retry two` connects anew.",
    );
    made.hold("two");
    void made.manager.retry("two");
    await eventually(() => expect(why("c")).toContain("the server is connecting."));
  });

  test("in an earlier part of the session is explained too", async () => {
    const seen = new Map([["old", { server: "gone", raw: "old" }]]);
    await using made = new FakeManager({ seen });
    await made.ready();
    expect(made.manager.explain("old")).toContain("not configured any more");
  });
});
