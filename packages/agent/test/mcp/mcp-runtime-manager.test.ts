import type { Logger } from "@acumen/core";
import { FakeClock } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import type { StdioDefinition } from "../../src/mcp/config/server-definition.ts";
import { createRedactor } from "../../src/redaction/redactor.ts";
import { FakeManager, NEVER } from "./fakes/fake-manager.ts";
import { resolvedServer, stdioDefinition } from "./live/changing-source.ts";
import { eventually } from "./live/live-servers.ts";

function server(name: string, definition: Partial<StdioDefinition> = {}) {
  return resolvedServer(name, stdioDefinition(name, [], definition));
}

/** Servers with these tools, enabled, in this order. */
function managerOf(
  tools: Readonly<Record<string, readonly string[]>>,
  definition: Partial<StdioDefinition> = {},
): FakeManager {
  const made = new FakeManager();
  for (const [name, names] of Object.entries(tools)) made.tools.set(name, names);
  made.source.set(...Object.keys(tools).map((name) => server(name, definition)));
  return made;
}

describe("start", () => {
  test("connects all at once, and says what each is like", async () => {
    await using made = managerOf({ one: ["a", "b"], two: ["c"] });
    made.source.set(server("bad"));
    made.source.set({ ...server("off"), enabled: false });
    made.hold("one");
    made.manager.start();
    await eventually(() => expect(made.started).toEqual(["one", "two", "bad"]));
    await eventually(() =>
      expect(made.states()).toEqual({
        one: "connecting",
        two: "connected",
        bad: "error",
        off: "disabled",
      }),
    );
    made.release("one");
    await made.manager.ready(NEVER);
    expect(made.status("one")).toEqual({
      server: "one",
      source: "machine",
      transport: "stdio",
      state: "connected",
      tool_count: 2,
      enabled: true,
      paused: false,
      conflicts: [],
      quarantined: [],
      since: expect.stringMatching(/^\d{4}-.*Z$/) as unknown,
      protocol_version: "2025-06-18",
    });
    expect(made.status("bad")).toMatchObject({
      reason: "bad is no command.",
      tool_count: 0,
      protocol_version: null,
    });
    expect(made.changes.map(({ server: name, state }) => `${name} ${state}`)).not.toContain(
      "off disabled",
    );
    expect(made.manager.files).toEqual({ machine: "/m", workspace: "/w" });
  });

  test("that is not made costs nothing and waits for nothing", async () => {
    await using made = managerOf({ one: ["a"] });
    await made.manager.ready(NEVER);
    expect(made.started).toEqual([]);
    expect(made.source.resolved).toBe(0);
    expect(made.manager.status()).toEqual([]);
  });

  test("secrets are hidden before a server is started, also those of later definitions", async () => {
    const redact = createRedactor();
    const seen: string[] = [];
    await using made = new FakeManager({
      redact,
      open: ({ name }) => {
        seen.push(redact("of-one-12345 of-two-12345"));
        const message = `${name} said of-one-12345`;
        return Promise.resolve({ ok: false, failure: { kind: "exited", message } });
      },
    });
    made.source.set({ ...server("one"), secrets: ["of-one-12345"] });
    await made.ready();
    made.source.set({ ...server("two"), secrets: ["of-two-12345"] });
    await eventually(() => expect(seen).toEqual(["[hidden] of-two-12345", "[hidden] [hidden]"]));
    expect(made.status("one").reason).toBe("one said [hidden]");
    expect(JSON.stringify(made.changes)).not.toContain("of-one-12345");
  });

  test("a configuration that cannot be resolved leaves what is there", async () => {
    await using made = managerOf({ one: ["a"] });
    await made.ready();
    made.source.resolve = () => Promise.reject(new Error("disk"));
    await made.manager.reload();
    expect(made.states()).toEqual({ one: "connected" });
  });

  test("problems of files are told without secrets and controls", async () => {
    await using made = managerOf({});
    made.source.problems = ["line 1: \u001b[31m sk-abcdefghijklmnopqrstuvwx"];
    await made.manager.reload();
    expect(made.manager.problems).toEqual(["line 1: \\u{1b}[31m [hidden]"]);
  });
});

test("each problem of files is told once as long as it lasts, also one that was there before", async () => {
  await using made = managerOf({});
  made.source.problems = ["old sk-abcdefghijklmnopqrstuvwx"];
  await made.manager.reload();
  const told: string[] = [];
  const end = made.manager.watchProblems((problem) => told.push(problem));
  const look = (...problems: string[]): Promise<void> => {
    made.source.problems = problems;
    return made.manager.reload();
  };
  await look("old sk-abcdefghijklmnopqrstuvwx", "new");
  await look("new");
  await look();
  await look("new");
  end();
  await look("later");
  expect(told).toEqual(["old [hidden]", "new", "new"]);
});

describe("ready", () => {
  test("waits for a while that counts from the start", async () => {
    const clock = new FakeClock();
    await using made = new FakeManager({ wait: 60_000, clock });
    made.source.set(server("slow"));
    made.hold("slow");
    made.manager.start();
    clock.advance(59_970);
    await made.manager.ready(NEVER);
    expect(made.states()).toEqual({ slow: "connecting" });
    clock.advance(1_000);
    await made.manager.ready(NEVER);
  });

  test("ends when every server has connected or failed", async () => {
    await using made = managerOf({ one: ["a"] });
    made.source.set(server("bad"));
    made.hold("one");
    made.manager.start();
    let done = false;
    const ready = made.manager.ready(NEVER).then(() => (done = true));
    await eventually(() => expect(made.states()["bad"]).toBe("error"));
    expect(done).toBe(false);
    made.release("one");
    await ready;
    expect(made.exposed()).toEqual(["a"]);
  });

  test("an abort ends it at once, a close too", async () => {
    await using made = managerOf({ one: ["a"] });
    made.hold("one");
    made.manager.start();
    const aborter = new AbortController();
    const aborted = made.manager.ready(aborter.signal);
    const other = made.manager.ready(NEVER);
    aborter.abort();
    await expect(aborted).rejects.toMatchObject({ code: "CORE_ABORTED" });
    await made.manager.close();
    await other;
  });

  test("does not wait for restarts", async () => {
    await using made = managerOf({ one: ["a"] });
    await made.ready();
    made.tools.delete("one");
    made.connection("one").die();
    await made.manager.ready(NEVER);
  });
});

describe("names", () => {
  test("belong to the first in the configuration, whoever connects first", async () => {
    await using made = managerOf({ one: ["same", "mine"], two: ["Same", "other"] });
    made.hold("one");
    made.manager.start();
    await eventually(() => expect(made.exposed()).toEqual(["Same", "other"]));
    made.release("one");
    await eventually(() => expect(made.states()).toEqual({ one: "connected", two: "error" }));
    expect(made.exposed()).toEqual(["same", "mine"]);
    expect(made.status("two")).toMatchObject({
      tool_count: 0,
      conflicts: [{ tool: "Same", owner: "one", resolution: "rejected" }],
    });
    expect(made.status("two").reason).toMatch(/"Same".*"one".*onConflict.*qualify.*disabledTools/);
    expect(made.connection("two").closed).toBe(1);
  });

  test("a server that lost them comes back when their owner is disabled or removed", async () => {
    await using made = managerOf({ one: ["same"], two: ["same"] });
    await made.ready();
    expect(made.states()).toEqual({ one: "connected", two: "error" });
    made.source.change("one", { enabled: false });
    await eventually(() => expect(made.states()).toEqual({ one: "disabled", two: "connected" }));
    made.source.change("one", { enabled: true });
    await eventually(() => expect(made.states()).toEqual({ one: "error", two: "connected" }));
    made.source.remove("two");
    await eventually(() => expect(made.states()).toEqual({ one: "connected" }));
    expect(made.exposed()).toEqual(["same"]);
  });

  test("a server that is paused or restarted keeps them", async () => {
    await using made = managerOf({ one: ["same"], two: ["same"] });
    await made.ready();
    expect(made.exposed()).toEqual(["same"]);
    await made.manager.pause("one");
    expect(made.exposed()).toEqual([]);
    expect(made.states()).toEqual({ one: "paused", two: "error" });
    await made.manager.resume("one");
    made.connection("one").die();
    expect(made.exposed()).toEqual(["same"]);
    await eventually(() => expect(made.states()).toEqual({ one: "connected", two: "error" }));
    expect(made.exposed()).toEqual(["same"]);
  });

  test("are qualified where the definition says so", async () => {
    await using made = managerOf(
      { one: ["same"], two: ["same", "bash"] },
      { onConflict: "qualify" },
    );
    await made.ready();
    expect(made.exposed()).toEqual(["same", "mcp__two__same", "mcp__two__bash"]);
    expect(made.status("two").conflicts).toEqual([
      { tool: "same", owner: "one", resolution: "mcp__two__same" },
      { tool: "bash", owner: "built-in", resolution: "mcp__two__bash" },
    ]);
  });

  test("of a server that comes later touch nobody, whatever its place in the file", async () => {
    await using made = managerOf({ two: ["same"] });
    await made.ready();
    made.tools.set("one", ["same"]);
    made.source.servers = [server("one"), ...made.source.servers];
    await made.manager.reload();
    await eventually(() => expect(made.states()).toEqual({ one: "error", two: "connected" }));
    expect(made.status("two").tool_count).toBe(1);
  });

  test("that a known server adds touch nobody either, and cost it nothing else", async () => {
    await using made = managerOf({ one: ["a"], two: ["b"] });
    await made.ready();
    made.connection("one").change(["a", "b", "c"]);
    await eventually(() => expect(made.exposed()).toEqual(["a", "c", "b"]));
    expect(made.states()).toEqual({ one: "connected", two: "connected" });
    expect(made.status("one").conflicts).toEqual([
      { tool: "b", owner: "two", resolution: "rejected" },
    ]);
  });

  test("a name that a model has seen stays when it could be a shorter one by now", async () => {
    await using made = managerOf({ one: ["same"], two: ["same"] }, { onConflict: "qualify" });
    await made.ready();
    expect(made.exposed()).toEqual(["same", "mcp__two__same"]);
    made.source.change("one", { enabled: false });
    await eventually(() => expect(made.exposed()).toEqual(["mcp__two__same"]));
  });

  test("tools that are not wanted clash with nothing", async () => {
    await using made = managerOf({ one: ["same", "more"] });
    made.tools.set("two", ["same", "kept", "dropped"]);
    made.source.set(server("two", { enabledTools: ["kept", "same"], disabledTools: ["same"] }));
    await made.ready();
    expect(made.exposed()).toEqual(["same", "more", "kept"]);
    expect(made.status("two")).toMatchObject({ tool_count: 1, conflicts: [], quarantined: [] });
  });
});

describe("tools", () => {
  test("that cannot be used are left out alone", async () => {
    await using made = managerOf({ one: [] });
    await made.ready();
    const bad = [{ name: "bad", inputSchema: [] }, { inputSchema: {} }];
    made.connection("one").change([...bad, "good"]);
    await eventually(() => expect(made.exposed()).toEqual(["good"]));
    expect(made.status("one")).toMatchObject({
      state: "connected",
      tool_count: 1,
      quarantined: [{ tool: "bad" }, { tool: "(unnamed)" }],
    });
  });

  test("that a model's service refuses are left out until they change", async () => {
    await using made = managerOf({ one: ["a", "b"] });
    await made.ready();
    expect(made.manager.quarantine("nothing", "?")).toBe(false);
    expect(made.manager.quarantine("a", "tools.0: sk-abcdefghijklmnopqrstuvwx")).toBe(true);
    expect(made.exposed()).toEqual(["b"]);
    expect(made.status("one")).toMatchObject({
      tool_count: 1,
      quarantined: [{ tool: "a", reason: "tools.0: [hidden]" }],
    });
    await made.manager.retry("one");
    expect(made.exposed()).toEqual(["b"]);
    made.connection("one").change([{ name: "a", description: "New.", inputSchema: {} }, "b"]);
    await eventually(() => expect(made.exposed()).toEqual(["a", "b"]));
    expect(made.status("one").quarantined).toEqual([]);
  });

  test("go on to the server that has them by then, and say when it has them no more", async () => {
    await using made = managerOf({ one: ["a"] });
    await made.ready();
    const [tool] = made.manager.tools();
    const context = { sessionId: "s", turnId: "t", callId: "c", seq: 1, signal: NEVER };
    const outcome = async (): Promise<string> => {
      const prepared = await tool?.tool.prepare({}, { signal: NEVER });
      if (prepared?.ok !== true) throw new Error("not prepared");
      const { status, output } = await prepared.run(context);
      return `${status} ${JSON.stringify(output)}`;
    };
    expect(await outcome()).toContain('completed [{"type":"text","text":"a"}]');
    await made.manager.retry("one");
    expect(await outcome()).toContain("completed");
    made.connection("one").change(["other"]);
    await eventually(() => expect(made.exposed()).toEqual(["other"]));
    expect(await outcome()).toMatch(/^failed .*no longer offers/);
    await made.manager.pause("one");
    expect(await outcome()).toMatch(/^failed .*was not called.*paused/);
  });
});

describe("instructions", () => {
  test("are those of connected servers, cleaned and bounded", async () => {
    await using made = managerOf({ one: ["a"], two: ["b"], three: ["c"] });
    made.instructions.set(
      "one",
      `Use\u202e a\u0007. sk-abcdefghijklmnopqrstuvwx ${"é".repeat(5_000)}`,
    );
    made.instructions.set("three", "Use c.");
    await made.ready();
    const [first, second, ...rest] = made.manager.instructions();
    expect(rest).toEqual([]);
    expect(first?.text).toMatch(/^Use a\. \[hidden\] é/);
    expect(Buffer.byteLength(first?.text ?? "")).toBeLessThanOrEqual(4_096);
    expect(second).toEqual({ server: "three", text: "Use c." });
    await made.manager.pause("three");
    expect(made.manager.instructions()).toHaveLength(1);
  });
});

test("what an untrusted folder enables is disabled, and nothing is said of what is defined nowhere", async () => {
  await using made = managerOf({});
  const untrusted = { disabledReason: "The workspace is not trusted." };
  made.source.set(
    { ...server("known"), ...untrusted },
    ...Array.from({ length: 50 }, (_, index) => `n${index}`).map((name) =>
      resolvedServer(name, undefined, { missing: true, ...untrusted }),
    ),
  );
  await made.ready();
  expect(new Set(Object.values(made.states()))).toEqual(new Set(["disabled"]));
  expect(made.status("n0").reason).toBe("The workspace is not trusted.");
  expect(made.changes.map(({ server: name, state }) => [name, state])).toEqual([
    ["known", "disabled"],
  ]);
});

describe("pause, resume, retry", () => {
  test("of servers that are unknown or not enabled are refused", async () => {
    await using made = managerOf({ one: ["a"] });
    made.source.set(
      { ...server("off"), enabled: false },
      { ...server("untrusted"), disabledReason: "The workspace is not trusted." },
    );
    await made.ready();
    for (const act of ["pause", "resume", "retry"] as const) {
      const unknown = { code: "AGENT_MCP_SERVER_UNKNOWN", message: /"One".*Known: one, off/ };
      await expect(made.manager[act]("One")).rejects.toMatchObject({
        ...unknown,
        message: expect.stringMatching(unknown.message) as unknown,
      });
      await expect(made.manager[act]("off")).rejects.toMatchObject({
        code: "AGENT_MCP_SERVER_NOT_ENABLED",
        message: expect.stringContaining("acumen mcp enable off") as unknown,
      });
      await expect(made.manager[act]("untrusted")).rejects.toMatchObject({
        code: "AGENT_MCP_SERVER_NOT_ENABLED",
        message: expect.stringContaining("not trusted") as unknown,
      });
    }
    expect(made.states()).toEqual({ one: "connected", off: "disabled", untrusted: "disabled" });
  });

  test("touch no other server", async () => {
    await using made = managerOf({ one: ["a"], two: ["b"] });
    await made.ready();
    await made.manager.pause("one");
    expect(made.status("one")).toMatchObject({ state: "paused", paused: true, enabled: true });
    await made.manager.pause("one");
    await made.manager.resume("one");
    await made.manager.retry("one");
    await made.manager.pause("one");
    await made.manager.retry("one");
    expect(made.status("one")).toMatchObject({ state: "connected", paused: false });
    expect(made.connection("two").closed).toBe(0);
    expect(made.started.filter((name) => name === "two")).toHaveLength(1);
    expect(made.started.filter((name) => name === "one")).toHaveLength(4);
  });

  test("a pause is over when the server is gone", async () => {
    await using made = managerOf({ one: ["a"] });
    await made.ready();
    let isGone = false;
    made.connection("one").closing = new Promise((resolve) => {
      setTimeout(() => {
        isGone = true;
        resolve();
      }, 30);
    });
    await made.manager.pause("one");
    expect(isGone).toBe(true);
  });

  test("see what the files say by now", async () => {
    await using made = new FakeManager({ pollMs: 3_600_000 });
    await made.ready();
    made.tools.set("new", ["a"]);
    made.source.set(server("new"));
    await made.manager.pause("new");
    expect(made.states()).toEqual({ new: "paused" });
  });
});

describe("changes of files", () => {
  test("are noticed, each for its own server", async () => {
    await using made = managerOf({ one: ["a"], two: ["b"] });
    await made.ready();
    made.tools.set("one", ["a2"]);
    made.source.set(server("one", { args: ["--new"] }));
    await eventually(() => expect(made.exposed()).toEqual(["a2", "b"]));
    made.source.change("one", { enabled: false });
    await eventually(() => expect(made.states()["one"]).toBe("disabled"));
    made.source.change("one", { enabled: true, missing: true });
    await eventually(() => expect(made.states()["one"]).toBe("missing"));
    made.source.change("one", { missing: false });
    await eventually(() => expect(made.states()["one"]).toBe("connected"));
    expect(made.connection("two").closed).toBe(0);
    expect(made.started.filter((name) => name === "two")).toHaveLength(1);
    const ofOne = made.changes.filter((change) => change.server === "one");
    expect(ofOne.map(({ state }) => state)).toEqual([
      "connecting",
      "connected",
      "connecting",
      "connected",
      "disabled",
      "missing",
      "connecting",
      "connected",
    ]);
    expect(ofOne.map(({ previous }) => previous)).toEqual([
      null,
      ...ofOne.slice(0, -1).map(({ state }) => state),
    ]);
  });

  test("a server that is defined no more is gone, and waits for its end when it comes back", async () => {
    await using made = managerOf({ one: ["a"] });
    await made.ready();
    let closed: () => void = () => undefined;
    made.connection("one").closing = new Promise((resolve) => (closed = resolve));
    made.source.remove("one");
    await eventually(() => expect(made.manager.status()).toEqual([]));
    expect(made.changes.at(-1)).toMatchObject({ server: "one", state: "disabled" });
    made.source.set(server("one"));
    await eventually(() => expect(made.states()).toEqual({ one: "connecting" }));
    expect(made.started).toHaveLength(1);
    closed();
    await eventually(() => expect(made.states()).toEqual({ one: "connected" }));
  });

  test("a look that comes while another one runs waits for it", async () => {
    await using made = managerOf({ one: ["a"] });
    let running = 0;
    let most = 0;
    const resolve = made.source.resolve.bind(made.source);
    made.source.resolve = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((done) => setTimeout(done, 5));
      running -= 1;
      return resolve();
    };
    made.manager.start();
    await Promise.all([made.manager.reload(), made.manager.reload(), made.manager.pause("one")]);
    expect(most).toBe(1);
    expect(made.states()).toEqual({ one: "paused" });
  });
});

describe("reports", () => {
  test("that fail are a warning", async () => {
    const warnings: string[] = [];
    const logger: Logger = {
      debug: () => undefined,
      info: () => undefined,
      warn: (message) => warnings.push(message),
      error: () => undefined,
    };
    await using made = new FakeManager({
      logger,
      report: () => Promise.reject(new Error("full disk")),
    });
    made.tools.set("one", ["a"]);
    made.source.set(server("one"));
    await made.ready();
    await eventually(() => expect(warnings).toHaveLength(2));
    expect(warnings[0]).toBe("the state of an MCP server could not be recorded");
    expect(made.states()).toEqual({ one: "connected" });
  });
});

describe("close", () => {
  test("closes all at once, says nothing, and nothing begins afterwards", async () => {
    await using made = managerOf({ one: ["a"], two: ["b"], three: ["c"] });
    await made.ready();
    made.hold("three");
    void made.manager.retry("three");
    await eventually(() => expect(made.states()["three"]).toBe("connecting"));
    const before = made.changes.length;
    for (const name of ["one", "two"]) {
      made.connection(name).closing = new Promise((resolve) => setTimeout(resolve, 300));
    }
    const startedAt = performance.now();
    await Promise.all([made.manager.close(), made.manager.close()]);
    // Not the two seconds that it waits for those that do not close.
    expect(performance.now() - startedAt).toBeLessThan(1_900);
    expect(made.connection("one").closed).toBe(1);
    const { length } = made.started;
    made.source.set(server("four"));
    made.manager.start();
    await made.manager.reload();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(made.started).toHaveLength(length);
    expect(made.changes).toHaveLength(before);
  });

  test("takes two seconds at most", async () => {
    await using made = managerOf({ one: ["a"] });
    await made.ready();
    made.connection("one").closing = new Promise(() => undefined);
    const startedAt = performance.now();
    await made.manager.close();
    expect(performance.now() - startedAt).toBeLessThan(4_000);
  });

  test("while the files are read starts nothing", async () => {
    await using made = managerOf({ one: ["a"] });
    made.manager.start();
    await made.manager.close();
    await made.manager.reload();
    expect(made.started).toEqual([]);
  });
});
