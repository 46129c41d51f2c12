import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { describe, expect, test } from "vitest";
import { type AgentBench, agentBench } from "../support/agent-bench.ts";
import { lastRecord, type Outcome, type RunOptions } from "../support/run-main.ts";
import { wordServer } from "../support/word-server.ts";

const SECRET = "hunter2-4f9a8c1d2e";

/** `acumen mcp …` about the workspace of a bench. */
function mcp(
  bench: AgentBench,
  [word = "", ...rest]: readonly string[],
  options?: Partial<RunOptions>,
): Promise<Outcome> {
  return bench.acumen(["mcp", word, "--workspace", bench.workspace, ...rest], options);
}

async function definitions(bench: AgentBench): Promise<Record<string, unknown>> {
  const text = await readFile(`${bench.home}/mcp.json`, "utf8").catch(() => "{}");
  return (JSON.parse(text) as { mcpServers?: Record<string, unknown> }).mcpServers ?? {};
}

async function choice(bench: AgentBench): Promise<unknown> {
  const path = `${bench.workspace}/.acumen/workspace.json`;
  const text = await readFile(path, "utf8").catch(() => "{}");
  return (JSON.parse(text) as { enabledMcpServers?: unknown }).enabledMcpServers;
}

async function trustState(bench: AgentBench): Promise<unknown> {
  const listed = await bench.acumen(["trust", "--list", "--json"]);
  const { workspaces } = lastRecord(listed) as { workspaces: { state: string }[] };
  return workspaces[0]?.state ?? "untrusted";
}

test("add defines, enables, trusts and shows the tools; the words of the command stay as they are", async () => {
  await using bench = await agentBench({ steps: [] });
  const command = wordServer("--slow", "1", "alpha", "beta.gamma");
  const added = await mcp(bench, ["add", "words", "--env", `KEY=${SECRET}`, "--", ...command]);
  expect(added).toMatchObject({ code: 0, stderr: "" });
  expect(added.stdout).toMatch(/^words {2}connected {3}stdio {2}2 tools$/m);
  expect(added.stdout).toContain("tools: alpha, beta.gamma (as mcp__words__beta_gamma)");
  expect(added.stdout).not.toContain(SECRET);
  expect(await definitions(bench)).toEqual({
    words: { command: command[0], args: command.slice(1), env: { KEY: SECRET } },
  });
  expect(await choice(bench)).toEqual(["words"]);
  expect(await trustState(bench)).toBe("trusted");

  const listed = await mcp(bench, ["list", "--json"]);
  expect(listed.code).toBe(0);
  expect(listed.stdout).not.toContain(SECRET);
  expect(lastRecord(listed)).toEqual({
    type: "result",
    command: "mcp list",
    servers: [
      {
        server: "words",
        source: "machine",
        transport: "stdio",
        state: "connected",
        tool_count: 2,
        enabled: true,
        paused: false,
        conflicts: [],
        quarantined: [],
        since: expect.any(String),
        protocol_version: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      },
    ],
    files: {
      machine: `${bench.home}/mcp.json`,
      workspace: `${bench.workspace}/.acumen/workspace.json`,
    },
  });
});

test("a server that cannot be reached stays defined, and none of its secrets is shown", async () => {
  await using bench = await agentBench({ steps: [] });
  const command = wordServer("--echo-env", "KEY");
  const words = ["add", "bad", "--json", "--env", `KEY=${SECRET}`, "--", ...command];
  const added = await mcp(bench, words);
  expect(added).toMatchObject({ code: 0, stderr: "" });
  expect(lastRecord(added)).toMatchObject({
    command: "mcp add",
    name: "bad",
    enabled: true,
    replaced: false,
    server: { state: "error", reason: expect.stringContaining("cannot log in with [hidden]") },
    tools: [],
  });
  for (const args of [["list"], ["test", "bad"], ["retry", "bad"], ["list", "--json"]]) {
    const outcome = await mcp(bench, args);
    expect(outcome.stdout).toContain("error");
    expect(outcome.stdout).toContain("[hidden]");
    expect(outcome.stdout + outcome.stderr).not.toContain(SECRET);
    for (const line of args.length === 1 ? outcome.stdout.split("\n") : []) {
      expect(line.length).toBeLessThanOrEqual(80);
    }
    expect(outcome.code).toBe(args[0] === "list" ? 0 : 1);
  }
});

test("names that are taken: the command that qualifies them is proposed, and works", async () => {
  await using bench = await agentBench({ steps: [] });
  const command = wordServer("read_file", "alpha");
  const added = await mcp(bench, ["add", "files", "--env", `KEY=${SECRET}`, "--", ...command]);
  expect(added.code).toBe(0);
  expect(added.stdout).toContain("error");
  expect(added.stdout).toContain("read_file");
  expect(added.stdout).not.toContain(SECRET);
  const proposed = /^ {2}acumen mcp add (files --force .*) -- /m.exec(added.stdout)?.[1];
  expect(proposed).toBe(
    `files --force --on-conflict qualify --env KEY=… --workspace ${bench.workspace}`,
  );
  expect(added.stdout.replaceAll(/\s+/g, " ")).toContain("(put the values in for …):");
  const again = await mcp(bench, ["add", ...(proposed ?? "").split(" "), "--", ...command]);
  expect(again.stdout).toContain("files is defined anew");
  expect(again.stdout).toMatch(/^files {2}connected {3}stdio {2}2 tools$/m);
  expect(again.stdout).toContain("read_file (as mcp__files__read_file)");
});

test("--no-enable only defines, and the server is tried all the same; test needs no workspace that wants it", async () => {
  await using bench = await agentBench({ steps: [] });
  const add = ["add", "words", "--no-enable", "--json", "--", ...wordServer("alpha")];
  const added = await mcp(bench, add);
  expect(lastRecord(added)).toMatchObject({ enabled: false, server: { state: "connected" } });
  expect(await choice(bench)).toBeUndefined();
  expect(await trustState(bench)).toBe("untrusted");
  const listed = await mcp(bench, ["list", "--json"]);
  expect(lastRecord(listed)).toMatchObject({ servers: [{ state: "disabled", enabled: false }] });
  const tested = await mcp(bench, ["test", "words", "--json"]);
  expect(tested.code).toBe(0);
  expect(lastRecord(tested)).toMatchObject({
    command: "mcp test",
    server: { state: "connected" },
    tools: [{ server: "words", name: "alpha", exposed_name: "alpha" }],
  });
  const retried = await mcp(bench, ["retry", "words"]);
  expect(retried.code).toBe(2);
  expect(retried.stderr).toContain("Enable it with `acumen mcp enable words`.");
});

describe("what cannot be done changes nothing and ends with 2", () => {
  test.each<[string, string[], string]>([
    ["a name that is taken", ["add", "taken", "--", "other"], "AGENT_MCP_SERVER_EXISTS"],
    ["a bad name", ["add", "two words", "--", "srv"], "AGENT_MCP_CONFIG_INVALID"],
    ["a bad address", ["add", "a", "http://"], "AGENT_MCP_CONFIG_INVALID"],
    ["no command", ["add", "a"], "CLI_USAGE"],
    ["a bad variable", ["add", "a", "--env", SECRET, "--", "srv"], "CLI_USAGE"],
    ["to remove what is not there", ["remove", "ghost"], "AGENT_MCP_SERVER_UNKNOWN"],
    ["to test what is not there", ["test", "ghost"], "AGENT_MCP_SERVER_UNKNOWN"],
    ["to retry what is not there", ["retry", "ghost"], "AGENT_MCP_SERVER_UNKNOWN"],
    ["to enable a bad name", ["enable", "two words"], "AGENT_MCP_CONFIG_INVALID"],
  ])("%s", async (_case, words, code) => {
    await using bench = await agentBench({ steps: [] });
    await bench.write("home/mcp.json", '{"mcpServers":{"taken":{"command":"first"}}}');
    const outcome = await mcp(bench, words);
    expect(outcome.code).toBe(2);
    expect(outcome.stderr).toMatch(new RegExp(`^acumen: ${code}: [^\n]+\n$`));
    expect(outcome.stderr).not.toContain(SECRET);
    expect(await definitions(bench)).toEqual({ taken: { command: "first" } });
    expect(await choice(bench)).toBeUndefined();
    expect(await trustState(bench)).toBe("untrusted");
  });

  test("a folder that does not exist", async () => {
    await using bench = await agentBench({ steps: [] });
    const words = ["mcp", "add", "a", "--workspace", "/nowhere", "--", "srv"];
    const outcome = await bench.acumen(words);
    expect(outcome.code).toBe(2);
    expect(outcome.stderr).toContain("AGENT_WORKSPACE_INVALID");
    expect(await definitions(bench)).toEqual({});
  });

  test("a damaged file, named with its place", async () => {
    await using bench = await agentBench({ steps: [] });
    await bench.write("home/mcp.json", '{\n  "mcpServers": {,}\n}');
    const outcome = await mcp(bench, ["add", "a", "--", "srv"]);
    expect(outcome.code).toBe(2);
    expect(outcome.stderr).toContain("mcp.json:2:18");
    const listed = await mcp(bench, ["list", "--json"]);
    expect(listed.code).toBe(0);
    expect(lastRecord(listed)).toMatchObject({
      servers: [],
      problems: [expect.stringContaining("mcp.json:2:18")],
    });
    expect((await mcp(bench, ["list"])).stdout).toContain("mcp.json:2:18");
  });
});

test("a defined server is enabled, disabled and removed; a missing one is told", async () => {
  await using bench = await agentBench({ steps: [] });
  const definition = { command: "/nowhere/srv", args: [] };
  await bench.write("home/mcp.json", JSON.stringify({ mcpServers: { one: definition } }));
  const enabled = await mcp(bench, ["enable", "one", "--json"]);
  expect(enabled.code).toBe(0);
  expect(lastRecord(enabled)).toMatchObject({
    command: "mcp enable",
    name: "one",
    enabled: true,
    server: { state: "error", enabled: true, reason: expect.stringContaining("/nowhere/srv") },
    trust: { state: "trusted", previous: "untrusted" },
  });
  const missing = await mcp(bench, ["enable", "ghost", "--json"]);
  expect(missing.code).toBe(0);
  expect(missing.stderr).toBe(
    "acumen: ghost is not defined on this machine; `acumen mcp add ghost` defines it.\n",
  );
  expect(lastRecord(missing)).toMatchObject({
    server: { state: "missing" },
    trust: { previous: "trusted" },
  });
  expect(await choice(bench)).toEqual(["one", "ghost"]);
  const disabled = await mcp(bench, ["disable", "ghost", "--json"]);
  expect(lastRecord(disabled)).toMatchObject({ name: "ghost", enabled: false, changed: true });
  expect((await mcp(bench, ["disable", "ghost"])).stdout).toBe("ghost was not enabled here.\n");
  const removed = await mcp(bench, ["remove", "one", "--json"]);
  expect(lastRecord(removed)).toMatchObject({ name: "one", removed: true, disabled: true });
  expect(await definitions(bench)).toEqual({});
  expect(await choice(bench)).toEqual([]);
  expect(await trustState(bench)).toBe("trusted");
});

describe("a child of the agent", () => {
  const variables = { ACUMEN_AGENT: "1" };

  test.each([
    ["mcp add x -- srv"],
    ["mcp add --no-enable x -- srv"],
    ["mcp add x http://localhost:1"],
    ["--no-color mcp add --force x -- srv"],
    ["mcp enable x"],
    ["mcp --no-color enable x"],
  ])("cannot call `acumen %s`", async (line) => {
    await using bench = await agentBench({ steps: [] });
    const outcome = await bench.acumen(line.split(" "), { variables });
    expect(outcome.code).toBe(2);
    expect(outcome.stderr).toContain("CLI_REFUSED_TO_AGENT");
    expect(await definitions(bench)).toEqual({});
  });

  test("may look, and take away", async () => {
    await using bench = await agentBench({ steps: [] });
    await bench.write("home/mcp.json", '{"mcpServers":{"one":{"command":"/nowhere/srv"}}}');
    for (const words of [["list"], ["disable", "one"], ["remove", "one"]]) {
      expect((await mcp(bench, words, { variables })).code).toBe(0);
    }
    expect(await definitions(bench)).toEqual({});
  });
});

test("a folder that can't be trusted: add only defines and says so, enable refuses", async () => {
  await using bench = await agentBench({ steps: [] });
  const at = ["--workspace", homedir()];
  const added = await bench.acumen(["mcp", "add", "one", ...at, "--", "/nowhere/srv"]);
  expect(added.code).toBe(0);
  expect(added.stdout).toMatch(/It is not enabled here\.[\s\S]*It is your home\s+folder\./);
  expect(Object.keys(await definitions(bench))).toEqual(["one"]);
  const enabled = await bench.acumen(["mcp", "enable", "one", ...at]);
  expect(enabled.code).toBe(2);
  expect(enabled.stderr).toContain("AGENT_WORKSPACE_UNTRUSTABLE");
});
