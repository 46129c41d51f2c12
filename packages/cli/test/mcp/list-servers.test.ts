import { mkdir, symlink } from "node:fs/promises";
import { expect, test } from "vitest";
import { agentBench } from "../support/agent-bench.ts";
import { lastRecord } from "../support/run-main.ts";

test("a file of servers that cannot be read is what a list begins with, and nobody is told that there are none", async () => {
  await using bench = await agentBench({ steps: [] });
  const path = await bench.write("home/mcp.json", '{ "mcpServers": { "a" {} } }');
  const at = ["--workspace", bench.workspace];
  const { code, stdout } = await bench.acumen(["mcp", "list", ...at]);
  expect(code).toBe(0);
  expect(stdout.replaceAll(/\s+/g, " ")).toMatch(/^wrong: \S*mcp\.json:1:\d+: /);
  expect(stdout).not.toContain("No MCP server is defined");
  expect(stdout).toContain("machine: ");
  await bench.write("home/mcp.json", "{}");
  expect((await bench.acumen(["mcp", "list", ...at])).stdout).toContain("No MCP server is defined");
  expect(path).toBe(`${bench.home}/mcp.json`);
});

test("a link in its place that leads to nothing is named", async () => {
  await using bench = await agentBench({ steps: [] });
  await symlink("/nowhere/mcp.json", `${bench.home}/mcp.json`);
  const listed = await bench.acumen(["mcp", "list", "--workspace", bench.workspace]);
  expect(listed.stdout.replaceAll(/\s+/g, " ")).toMatch(
    /^wrong: \S+ is a link that leads to nothing\./,
  );
});

test("the reason of a choice that is no file stands at each server", async () => {
  await using bench = await agentBench({ steps: [] });
  await bench.write("home/mcp.json", '{ "mcpServers": { "a": { "command": "/nowhere/srv" } } }');
  await mkdir(`${bench.workspace}/.acumen/workspace.json`, { recursive: true });
  const listed = await bench.acumen(["mcp", "list", "--workspace", bench.workspace, "--json"]);
  expect(lastRecord(listed)).toMatchObject({
    servers: [{ state: "disabled", reason: expect.stringContaining("is a folder and no file.") }],
  });
});

test.each([["list"], ["test", "a"], ["retry", "a"]])(
  "%s in a folder that does not exist is refused",
  async (...words) => {
    await using bench = await agentBench({ steps: [] });
    await bench.write("home/mcp.json", '{ "mcpServers": { "a": { "command": "/nowhere/srv" } } }');
    const gone = await bench.acumen(["mcp", ...words, "--workspace", "/nonexist"]);
    expect(gone.code).toBe(2);
    expect(gone.stderr).toContain("AGENT_WORKSPACE_INVALID");
    expect(gone.stdout).toBe("");
  },
);

test("--trust-once counts for one command, and is not for the agent", async () => {
  await using bench = await agentBench({ steps: [] });
  await bench.write("home/mcp.json", '{ "mcpServers": { "a": { "command": "/nowhere/srv" } } }');
  await bench.write("work/.acumen/workspace.json", '{ "enabledMcpServers": ["a"] }');
  const words = ["mcp", "list", "--workspace", bench.workspace, "--json"];
  const states = async (...more: string[]) =>
    lastRecord(await bench.acumen([...words, ...more]))["servers"];
  expect(await states("--trust-once")).toMatchObject([{ server: "a", state: "error" }]);
  expect(await states()).toMatchObject([{ server: "a", state: "disabled" }]);
  const agent = await bench.acumen([...words, "--trust-once"], {
    variables: { ACUMEN_AGENT: "1" },
  });
  expect(agent.code).toBe(2);
  const retried = await bench.acumen(["mcp", "retry", "a", ...words.slice(2), "--trust-once"]);
  expect(retried.code).toBe(1);
  expect(lastRecord(retried)).toMatchObject({ server: { state: "error" } });
});

test("a folder to start in that does not exist says nothing about the command", async () => {
  await using bench = await agentBench({ steps: [] });
  const at = ["--workspace", bench.workspace, "--cwd", "/nonexist", "--json"];
  const added = lastRecord(await bench.acumen(["mcp", "add", "a", ...at, "--", "node", "x.js"]));
  const { reason } = added["server"] as { readonly reason: string };
  expect(reason).toContain("/nonexist");
  expect(reason).toContain("Does that folder exist?");
  expect(reason).not.toContain("installed");
});

test.each(["file:///etc/passwd", "ws://localhost/mcp"])(
  "%s is neither an address nor a command",
  async (address) => {
    await using bench = await agentBench({ steps: [] });
    const added = await bench.acumen(["mcp", "add", "a", address, "--workspace", bench.workspace]);
    expect(added.code).toBe(2);
    expect(added.stderr).toContain("An address begins with http:// or https://.");
    expect((await bench.acumen(["mcp", "list", "--workspace", bench.workspace])).stdout).toContain(
      "No MCP server is defined",
    );
  },
);
