import { FakeClock, tempFolder } from "@acumen/testkit";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { McpConfigManager } from "../../src/mcp/config/mcp-config-manager.ts";
import type { McpStatusChange } from "../../src/mcp/mcp-status.ts";
import { McpRuntimeManager, type McpRuntimeOptions } from "../../src/mcp/mcp-runtime-manager.ts";
import { createRedactor } from "../../src/redaction/redactor.ts";
import { WorkspaceTrust } from "../../src/trust/workspace-trust.ts";
import { ChangingSource, resolvedServer, stdioDefinition } from "./live/changing-source.ts";
import {
  eventually,
  expectGone,
  isRunning,
  type LiveServers,
  liveServers,
} from "./live/live-servers.ts";

const NEVER = new AbortController().signal;
const SOON = { delaysMs: [20, 20, 20, 20, 20], windowMs: 300_000, healthyMs: 60_000 };

class LiveManager implements AsyncDisposable {
  readonly manager: McpRuntimeManager;
  readonly changes: McpStatusChange[] = [];

  constructor(live: LiveServers, options: Partial<McpRuntimeOptions>) {
    this.manager = new McpRuntimeManager({
      source: new ChangingSource(),
      cwd: live.folder.path,
      environment: { PATH: process.env["PATH"], HOME: live.folder.path },
      redact: createRedactor(),
      outputFolder: () => Promise.resolve(live.folder.path),
      wait: "settled",
      report: (change) => Promise.resolve(this.changes.push(change)),
      pollMs: 20,
      ...options,
    });
  }

  async ready(): Promise<void> {
    this.manager.start();
    await this.manager.ready(NEVER);
  }

  states(): Record<string, string> {
    return Object.fromEntries(this.manager.status().map(({ server, state }) => [server, state]));
  }

  reason(name: string): string {
    return this.manager.status().find(({ server }) => server === name)?.reason ?? "";
  }

  exposed(): string[] {
    return this.manager.tools().map(({ exposedName }) => exposedName);
  }

  /** Calls a tool as the model does; its output as text. */
  async call(exposedName: string): Promise<string> {
    const found = this.manager.tools().find((entry) => entry.exposedName === exposedName);
    const prepared = await found?.tool.prepare({}, { signal: NEVER });
    if (prepared?.ok !== true) throw new Error(`${exposedName} cannot be called`);
    const context = { sessionId: "s", turnId: "t", callId: "c", seq: 1, signal: NEVER };
    const { status, output } = await prepared.run(context);
    return `${status}: ${output.map((block) => ("text" in block ? block.text : block.type)).join("")}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.manager.close();
  }
}

describe("a server that dies", () => {
  test("is started again, keeps its names, and no call is made twice", async () => {
    await using live = await liveServers();
    const source = new ChangingSource([
      await live.server("one", { tools: ["note", "die", "hang"] }),
      await live.server("two", { tools: ["other"] }),
    ]);
    await using made = new LiveManager(live, { source });
    await made.ready();
    expect(made.exposed()).toEqual(["note", "die", "hang", "other"]);
    const hanging = made.call("hang");
    await eventually(async () => expect(await live.calls("one")).toEqual(["hang"]));
    const died = await made.call("die");
    expect(died).toMatch(/^failed: .*may have run.*exited with code 3.*out of memory/s);
    expect(await hanging).toMatch(/^failed: .*exited with code 3/s);
    expect(made.states()).toEqual({ one: "error", two: "connected" });
    expect(made.reason("one")).toMatch(/^Restart 1 of 5 in 0\.5 s\. .*code 3.*out of memory/s);
    expect(JSON.stringify([made.changes, died, made.reason("one")])).not.toContain("sk-abcdef");
    // Whoever calls it before it is back hears why at once.
    expect(await made.call("note")).toMatch(/^failed: .*was not called.*exited with code 3/s);
    await eventually(() => expect(made.states()["one"]).toBe("connected"));
    expect(made.exposed()).toEqual(["note", "die", "hang", "other"]);
    expect(await made.call("note")).toBe("completed: note {}");
    expect(await live.calls("one")).toEqual(["hang", "die", "note"]);
    expect(await live.starts("one")).toHaveLength(2);
    expect(await live.starts("two")).toHaveLength(1);
    const ofOne = made.changes.filter(({ server }) => server === "one");
    expect(ofOne.map(({ state }) => state)).toEqual([
      "connecting",
      "connected",
      "error",
      "connecting",
      "connected",
    ]);
  });

  test("too often is given up, and comes back when somebody retries", async () => {
    await using live = await liveServers();
    const source = new ChangingSource([await live.server("one", { tools: ["note"] })]);
    await using made = new LiveManager(live, { source, restarts: SOON, clock: new FakeClock() });
    await made.ready();
    await live.change("one", { crashAtStart: true });
    process.kill((await live.starts("one"))[0] ?? 0, "SIGKILL");
    await eventually(() => expect(made.reason("one")).toContain("ended too often"));
    expect(made.reason("one")).toMatch(/exited with code 7.*no database/s);
    expect(await live.starts("one")).toHaveLength(6);
    expect(made.exposed()).toEqual([]);
    await live.change("one", { tools: ["note"] });
    await made.manager.retry("one");
    expect(made.states()).toEqual({ one: "connected" });
    expect(await made.call("note")).toBe("completed: note {}");
  });
});

describe("a server that cannot be used", () => {
  test("says why, and none of it is tried again by itself", async () => {
    await using live = await liveServers();
    const http = createServer((_request, response) => {
      asked += 1;
      response.writeHead(401).end();
    });
    let asked = 0;
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    const { port } = http.address() as AddressInfo;
    const remote = {
      transport: "http" as const,
      url: `http://127.0.0.1:${port}/mcp`,
      headers: {},
    };
    const {
      transport: _stdio,
      command: _command,
      args: _args,
      env: _env,
      ...common
    } = stdioDefinition("", []);
    const source = new ChangingSource([
      resolvedServer("unknown", stdioDefinition("no-such-command-anywhere", [])),
      await live.server("crashing", { crashAtStart: true }),
      await live.server("listless", { refuseList: true }),
      await live.server("silent", { startMs: 60_000 }, { startupTimeoutMs: 300 }),
      resolvedServer("invalid", undefined, { fault: "mcpServers.invalid: no command." }),
      {
        ...resolvedServer("locked", undefined),
        transport: "http",
        definition: { ...common, ...remote },
      },
      await live.server("good", { tools: ["note"] }),
    ]);
    await using made = new LiveManager(live, { source, restarts: SOON });
    await made.ready();
    const { good, ...others } = made.states();
    expect(good).toBe("connected");
    expect(new Set(Object.values(others))).toEqual(new Set(["error"]));
    expect(made.reason("unknown")).toContain("no-such-command-anywhere");
    expect(made.reason("crashing")).toMatch(/exited with code 7.*no database/s);
    expect(made.reason("listless")).toContain("no list today");
    expect(made.reason("silent")).toContain("300 ms");
    expect(made.reason("invalid")).toBe("mcpServers.invalid: no command.");
    expect(made.reason("locked")).toMatch(/^needs_auth: .*header/);
    const before = asked;
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(asked).toBe(before);
    expect(await live.starts("crashing")).toHaveLength(1);
    expectGone(await live.starts("silent"));
    expectGone(await live.starts("listless"));
    await new Promise((resolve) => http.close(resolve));
  });

  test("because of a name ends, and leaves no process", async () => {
    await using live = await liveServers();
    const source = new ChangingSource([
      await live.server("first", { tools: ["note"], startMs: 400 }),
      await live.server("second", { tools: ["NOTE", "other"] }),
      await live.server("third", { tools: ["read_file", "third"] }, { onConflict: "qualify" }),
      await live.server("fourth", { tools: ["twice", "twice"] }),
    ]);
    await using made = new LiveManager(live, { source });
    await made.ready();
    await eventually(() =>
      expect(made.states()).toEqual({
        first: "connected",
        second: "error",
        third: "connected",
        fourth: "error",
      }),
    );
    expect(made.exposed()).toEqual(["note", "mcp__third__read_file", "third"]);
    expect(made.reason("second")).toMatch(/"NOTE" belongs to the server "first".*onConflict/);
    expect(made.reason("fourth")).toMatch(/"twice" is there twice/);
    await eventually(async () => expectGone(await live.starts("second")));
    source.change("first", { enabled: false });
    await eventually(() => expect(made.states()["second"]).toBe("connected"));
    expect(made.exposed()).toContain("NOTE");
  });
});

describe("files, trust and the session", () => {
  test("switch servers on and off while they run, each by itself", async () => {
    await using live = await liveServers();
    await using folder = await tempFolder("mcp-files");
    const home = folder.join("home");
    const cwd = folder.join("project");
    await mkdir(cwd);
    const environment = { HOME: folder.join("user") };
    const trust = new WorkspaceTrust({ home, environment });
    const configs = new McpConfigManager({ home, environment, trust });
    const raw = async (name: string, args: readonly string[] = []) => {
      const { definition } = await live.server(name, { tools: [`${name}_tool`] });
      if (definition?.transport !== "stdio") throw new Error("not stdio");
      return { command: definition.command, args: [...definition.args, ...args] };
    };
    await configs.add("one", await raw("one"));
    await configs.add("two", await raw("two"));
    await configs.enable(cwd, "two");
    await trust.trust(cwd);
    await using made = new LiveManager(live, { source: configs.sourceFor({ cwd }) });
    await made.ready();
    expect(made.states()).toEqual({ one: "disabled", two: "connected" });

    await configs.enable(cwd, "one");
    await eventually(() => expect(made.states()["one"]).toBe("connected"));
    expect(made.exposed()).toEqual(["two_tool", "one_tool"]);

    await made.manager.pause("one");
    expect(made.states()["one"]).toBe("paused");
    expectGone(await live.starts("one"));
    await made.manager.resume("one");
    expect(made.states()["one"]).toBe("connected");

    await configs.add("one", await raw("one", ["--other"]), { force: true });
    await eventually(async () => expect(await live.starts("one")).toHaveLength(3));
    await eventually(() => expect(made.states()["one"]).toBe("connected"));

    await configs.remove("one");
    await eventually(() => expect(made.states()["one"]).toBe("missing"));
    await eventually(async () => expectGone(await live.starts("one")));
    await configs.add("one", await raw("one"));
    await eventually(() => expect(made.states()["one"]).toBe("connected"));

    await configs.disable(cwd, "one");
    await eventually(() => expect(made.states()["one"]).toBe("disabled"));

    const choice = JSON.stringify({ enabledMcpServers: ["one", "two"] });
    await rm(`${cwd}/.acumen/workspace.json`);
    await writeFile(`${cwd}/.acumen/workspace.json`, choice);
    await eventually(() => expect(made.states()).toEqual({ one: "disabled", two: "disabled" }));
    await eventually(() => expect(made.reason("two")).toContain("trust"));
    await eventually(async () => expectGone(await live.starts("two")));
    expect(await live.starts("two")).toHaveLength(1);

    await trust.trust(cwd);
    await eventually(() => expect(made.states()).toEqual({ one: "connected", two: "connected" }));
    const ofOne = made.changes.filter(({ server }) => server === "one");
    expect(ofOne.map(({ previous }) => previous)).toEqual([
      "disabled",
      ...ofOne.slice(0, -1).map(({ state }) => state),
    ]);
  });
});

test("a changed list of tools counts from the next look on, and takes no name from another server", async () => {
  await using live = await liveServers();
  const source = new ChangingSource([
    await live.server("one", { tools: ["note"] }),
    await live.server("two", { tools: ["other"] }),
  ]);
  await using made = new LiveManager(live, { source });
  await made.ready();
  const [note] = made.manager.tools();
  await live.changeTools("one", ["fresh", "other"]);
  await eventually(() => expect(made.exposed()).toEqual(["fresh", "other"]));
  expect(made.states()).toEqual({ one: "connected", two: "connected" });
  expect(made.manager.status()[0]?.conflicts).toEqual([
    { tool: "other", owner: "two", resolution: "rejected" },
  ]);
  const prepared = await note?.tool.prepare({}, { signal: NEVER });
  if (prepared?.ok !== true) throw new Error("not prepared");
  const context = { sessionId: "s", turnId: "t", callId: "c", seq: 1, signal: NEVER };
  expect(JSON.stringify(await prepared.run(context))).toContain("no longer offers");
  expect(await live.calls("one")).toEqual([]);
});

test("ten servers start at once, one of them dead, and end within two seconds, with calls under way", async () => {
  await using live = await liveServers();
  const names = Array.from({ length: 9 }, (_, index) => `s${index}`);
  const servers = await Promise.all(
    names.map((name) => live.server(name, { tools: [`${name}_note`, `${name}_x`], startMs: 300 })),
  );
  const dead = await live.server("dead", { startMs: 600_000 });
  const source = new ChangingSource([
    dead,
    ...servers,
    await live.server("h", { tools: ["hang"] }),
  ]);
  await using made = new LiveManager(live, { source, wait: 2_000 });
  made.manager.start();
  const startedAt = performance.now();
  await made.manager.ready(NEVER);
  expect(performance.now() - startedAt).toBeLessThan(3_500);
  await eventually(() => expect(made.exposed()).toHaveLength(19));
  expect(made.states()["dead"]).toBe("connecting");
  const hanging = made.call("hang");
  await eventually(async () => expect(await live.calls("h")).toEqual(["hang"]));
  const pids = (await Promise.all([...names, "dead", "h"].map((name) => live.starts(name)))).flat();
  expect(pids).toHaveLength(11);
  expect(pids.every(isRunning)).toBe(true);
  const closedAt = performance.now();
  await made.manager.close();
  expect(performance.now() - closedAt).toBeLessThan(3_000);
  expectGone(pids);
  expect(await hanging).toMatch(/^failed: .*session was closed/s);
});
