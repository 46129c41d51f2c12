import { McpConfigManager, WorkspaceTrust } from "@acumen/agent";
import { tempFolder } from "@acumen/testkit";
import type { McpServer } from "@agentclientprotocol/sdk";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type HostBench, hostBench, type HostBenchOptions } from "../support/host-bench.ts";

const PROMPT = [{ type: "text" as const, text: "Work." }];

/** A server on stdio whose one tool says a variable; writes its process id into a file. */
const SERVER = `
require("node:fs").appendFileSync(process.argv[1], process.pid + "\\n");
const tool = process.argv[2];
const results = {
  initialize: (params) => ({
    protocolVersion: params.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "host", version: "1" },
  }),
  "tools/list": () => ({ tools: [{ name: tool, inputSchema: { type: "object" } }] }),
  "tools/call": () => ({ content: [{ type: "text", text: "says " + process.env.WORD.toUpperCase() }] }),
  ping: () => ({}),
};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = results[method]?.(params);
  const answer = result ? { result } : { error: { code: -32601, message: "unknown" } };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
});`;

function stdioServer(name: string, pids: string, tool: string, word = "hello"): McpServer {
  return {
    name,
    command: process.execPath,
    args: ["-e", SERVER, pids, tool],
    env: [{ name: "WORD", value: word }],
  };
}

interface McpBench extends AsyncDisposable {
  readonly bench: HostBench;
  readonly pids: string;
}

async function mcpBench(options: HostBenchOptions): Promise<McpBench> {
  const folder = await tempFolder();
  const [home, cwd] = [folder.join("home"), folder.join("project")];
  await Promise.all([mkdir(home), mkdir(cwd)]);
  const environment = { PATH: process.env["PATH"] };
  const trust = new WorkspaceTrust({ home, environment, once: true });
  const bench = await hostBench({
    ...options,
    place: { home, cwd },
    agent: { mcp: new McpConfigManager({ home, environment, trust }), ...options.agent },
  });
  return {
    bench,
    pids: folder.join("pids"),
    [Symbol.asyncDispose]: async () => {
      await bench[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function open(bench: HostBench, mcpServers: McpServer[]): Promise<string> {
  const { host, cwd } = bench;
  return (await host.request("session/new", { cwd, mcpServers })).sessionId;
}

/** Names of the tools of servers that a model call was given. */
function toolsOf({ model }: HostBench, call: number): readonly string[] {
  const own = new Set(["apply_patch", "ask_user", "bash", "edit", "glob", "grep"]);
  return (model.calls[call]?.tools ?? [])
    .map(({ name }) => name)
    .filter((name) => !own.has(name) && !/^(read_file|update_plan|write_file)$/u.test(name));
}

async function expectGone(pids: string): Promise<void> {
  for (const pid of (await readFile(pids, "utf8")).trim().split("\n").map(Number)) {
    await expect
      .poll(() => {
        try {
          return process.kill(pid, 0);
        } catch {
          return false;
        }
      })
      .toBe(false);
  }
}

test("servers of a host are the session's own, with their variables, and end with it", async () => {
  await using one = await mcpBench({
    steps: [{ toolCalls: [{ id: "c1", tool: "tell", input: {} }] }, { text: "Done." }],
  });
  const { bench, pids } = one;
  const { host } = bench;
  const first = await open(bench, [stdioServer("My server", pids, "tell", "first-word")]);
  const second = await open(bench, [stdioServer("My server", pids, "tell", "second-word")]);
  const plain = await open(bench, []);
  for (const [sessionId, word] of [
    [first, "first-word"],
    [second, "second-word"],
  ] as const) {
    const before = bench.updates.length;
    await host.request("session/prompt", { sessionId, prompt: PROMPT });
    expect(JSON.stringify(bench.updates.slice(before))).toContain(`says ${word.toUpperCase()}`);
  }
  const calls = bench.model.calls.length;
  await host.request("session/prompt", { sessionId: plain, prompt: PROMPT }).catch(() => undefined);
  expect(toolsOf(bench, calls)).toEqual([]);
  expect(toolsOf(bench, 0)).toEqual(["tell"]);
  expect((await readFile(pids, "utf8")).trim().split("\n")).toHaveLength(2);
  await host.request("session/close", { sessionId: first });
  await host.request("session/delete", { sessionId: second });
  await expectGone(pids);
  expect(bench.faults).toEqual([]);
});

test("what the machine's folder enables comes beside them, unless it is not to be inherited; an empty list adds nothing", async () => {
  for (const inheritMcp of [true, false]) {
    await using one = await mcpBench({
      steps: [{ text: "Done." }, { text: "Done." }],
      hosted: { inheritMcp },
    });
    const { bench, pids } = one;
    const { home, cwd, host } = bench;
    const machine = { command: process.execPath, args: ["-e", SERVER, pids, "machine_tool"] };
    await mkdir(join(cwd, ".acumen"));
    await Promise.all([
      writeFile(join(home, "mcp.json"), JSON.stringify({ mcpServers: { own: machine } })),
      writeFile(
        join(cwd, ".acumen", "workspace.json"),
        JSON.stringify({ enabledMcpServers: ["own"] }),
      ),
    ]);
    const own = inheritMcp ? ["machine_tool"] : [];
    for (const servers of [[], [stdioServer("host", pids, "host_tool")]]) {
      const calls = bench.model.calls.length;
      const sessionId = await open(bench, servers);
      await host.request("session/prompt", { sessionId, prompt: PROMPT });
      const expected = servers.length === 0 ? own : ["host_tool", ...own];
      expect(toolsOf(bench, calls), `inherit ${inheritMcp}`).toEqual(expected);
    }
  }
});

test("dead, silent and unusable servers keep no session from beginning; the first prompt waits two seconds and says it", async () => {
  await using one = await mcpBench({ steps: [{ text: "One." }, { text: "Two." }] });
  const { bench } = one;
  const { host } = bench;
  const at = performance.now();
  const sessionId = await open(bench, [
    { name: "gone", command: "/nowhere/at all", args: [], env: [] },
    { name: "empty", command: "", args: [], env: [] },
    { name: "silent", command: "sleep", args: ["60"], env: [] },
    { type: "http", name: "web", url: "http://127.0.0.1:9/mcp", headers: [] },
    { type: "sse", name: "no url", url: "nothing", headers: [{ name: "bad name", value: "x" }] },
  ]);
  expect(performance.now() - at).toBeLessThan(1_500);
  const turnAt = performance.now();
  expect(await host.request("session/prompt", { sessionId, prompt: PROMPT })).toEqual({
    stopReason: "end_turn",
  });
  const waited = performance.now() - turnAt;
  expect(waited).toBeGreaterThan(1_500);
  expect(waited).toBeLessThan(10_000);
  const thoughts = JSON.stringify(bench.updates);
  for (const name of ["gone", "empty", "web", "no-url"]) expect(thoughts).toContain(name);
  expect(bench.faults).toEqual([]);
});

test("a server over HTTP gets the headers that the host names", async () => {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers["x-word"]?.toString());
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await using one = await mcpBench({ steps: [{ text: "One." }, { text: "Two." }] });
  for (const type of ["http", "sse"] as const) {
    const url = `http://127.0.0.1:${port}/${type}`;
    const headers = [{ name: "X-Word", value: `word-${type}` }];
    await open(one.bench, [{ type, name: "web", url, headers }]);
  }
  await expect.poll(() => new Set(seen)).toEqual(new Set(["word-http", "word-sse"]));
  server.close();
});

test("servers come with load and resume too", async () => {
  await using one = await mcpBench({ steps: [{ text: "One." }, { text: "Two." }] });
  const { bench, pids } = one;
  const { host, cwd } = bench;
  const sessionId = await open(bench, []);
  for (const [index, method] of (["session/load", "session/resume"] as const).entries()) {
    await host.request("session/close", { sessionId });
    const mcpServers = [stdioServer("later", pids, "tell")];
    await host.request(method, { sessionId, cwd, mcpServers });
    await host.request("session/prompt", { sessionId, prompt: PROMPT });
    expect(toolsOf(bench, index)).toEqual(["tell"]);
  }
});
