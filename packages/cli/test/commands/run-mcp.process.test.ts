import { describe, expect, test } from "vitest";
import { type AgentBench, agentBench } from "../support/agent-bench.ts";
import { recordsOf } from "../support/run-main.ts";
import { wordServer } from "../support/word-server.ts";

const SECRET = "hunter2-4f9a8c1d2e";
const CALL = { toolCalls: [{ tool: "alpha", input: {} }] };

/** A workspace that enables two servers, of which one ends at once; neither trusted nor looked at. */
async function twoServers(steps: readonly object[]): Promise<AgentBench> {
  const bench = await agentBench({ steps, repeatLast: true });
  const servers = {
    slow: wordServer("--slow", "300", "alpha"),
    bad: wordServer("--echo-env", "KEY"),
  };
  const mcpServers = Object.fromEntries(
    Object.entries(servers).map(([name, [command, ...args]]) => [
      name,
      { command, args, env: { KEY: SECRET } },
    ]),
  );
  await bench.write("home/mcp.json", JSON.stringify({ mcpServers }));
  await bench.write("work/.acumen/workspace.json", '{"enabledMcpServers":["slow","bad"]}');
  return bench;
}

test("a run waits until each server has settled, calls their tools, and prints their states in order", async () => {
  await using bench = await twoServers([
    CALL,
    { text: "Done.", expect: { toolResultIncludes: ["the word is alpha"] } },
  ]);
  const outcome = await bench.run(["go", "--json", "--trust-once", "--mode", "auto"]);
  expect(outcome.stderr).toContain("Waiting for MCP servers: slow, bad.");
  expect(outcome.code).toBe(0);
  const records = recordsOf(outcome);
  expect(records.at(-1)).toMatchObject({ type: "result", text: "Done." });
  const events = records.slice(0, -1);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
  const states = events.filter(({ type }) => type === "MCP_STATUS");
  expect(states.map(({ payload }) => payload)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ server: "slow", state: "connected" }),
      expect.objectContaining({
        server: "bad",
        state: "error",
        reason: expect.stringContaining("cannot log in with [hidden]"),
      }),
    ]),
  );
  expect(outcome.stdout + outcome.stderr).not.toContain(SECRET);

  const shown = await bench.acumen(["sessions", "show", String(events[0]?.["session_id"])]);
  expect(shown.stdout).toContain("MCP server slow: connected");
  expect(shown.stdout).toContain("MCP server bad: error. ");
  expect(shown.stdout).not.toContain(SECRET);
  for (const line of shown.stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
});

describe("for people", () => {
  test("states stand on stderr, stdout has the answer alone, --quiet says nothing", async () => {
    await using bench = await twoServers([{ text: "Done." }]);
    const run = ["go", "--trust-once"];
    const outcome = await bench.run(run);
    expect(outcome.stdout).toBe("Done.\n");
    expect(outcome.stderr).toContain("MCP server slow: connected");
    expect(outcome.stderr).toContain("MCP server bad: error. ");
    expect(outcome.stderr).not.toContain(SECRET);
    const quiet = await bench.run([...run, "--quiet"]);
    expect(quiet).toMatchObject({ stdout: "Done.\n", stderr: "" });
  });

  test("in an untrusted folder nothing is started, and it is said why", async () => {
    await using bench = await twoServers([
      { text: "Done.", expect: { toolsInclude: ["read_file"] } },
    ]);
    const { code, stderr } = await bench.run(["go"]);
    expect(code).toBe(0);
    expect(stderr).toContain("MCP server slow: disabled. The workspace is not trusted.");
    expect(stderr).not.toContain("Waiting");
  });

  test("a call that nobody can be asked about names the rule that allows it, and the rule does", async () => {
    await using bench = await twoServers([CALL, { text: "Done." }]);
    const refused = await bench.run(["go", "--trust-once"]);
    expect(refused.stderr).toContain("mcp(slow/alpha)");
    expect(refused.code).toBe(3);
    await bench.write("home/config.json", '{"permissions":{"allow":["mcp(slow/*)"]}}');
    const allowed = await bench.run(["go", "--trust-once"]);
    expect(allowed.stderr).toContain("> alpha");
    expect(allowed.stderr).toMatch(/^ {2}ok, /m);
    expect(allowed.code).toBe(0);
  });
});
