import { existsSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { expect, test } from "vitest";
import { checkServers } from "../../src/doctor/server-checks.ts";
import { homeOf } from "../../src/settings/home.ts";
import { type AgentBench, agentBench } from "../support/agent-bench.ts";

const SECRET = "hunter2-4f9a8c1d2e";

async function checked(bench: AgentBench, servers: object | string, enabled: readonly string[]) {
  const text = typeof servers === "string" ? servers : JSON.stringify({ mcpServers: servers });
  await chmod(await bench.write("home/mcp.json", text), 0o600);
  await bench.write("work/.acumen/workspace.json", JSON.stringify({ enabledMcpServers: enabled }));
  await bench.acumen(["trust", bench.workspace]);
  return look(bench);
}

function look(bench: AgentBench) {
  const variables = { ACUMEN_HOME: bench.home, PATH: process.env["PATH"] ?? "" };
  return checkServers(bench.workspace, { home: homeOf(variables), variables });
}

test("without servers, and with usable ones, all is well; none is started", async () => {
  await using bench = await agentBench({ steps: [] });
  expect(await look(bench)).toEqual([
    {
      name: "mcp",
      status: "ok",
      message: `no MCP server is defined (${bench.home}/mcp.json)`,
    },
  ]);
  const marker = bench.folder.join("started");
  const servers = {
    a: { command: "sh", args: ["-c", `touch ${marker}`] },
    b: { url: "https://example.org/mcp" },
  };
  const found = await checked(bench, servers, ["a"]);
  expect(found).toEqual([
    { name: "mcp", status: "ok", message: "2 MCP servers defined, 1 enabled here" },
  ]);
  expect(existsSync(marker)).toBe(false);
});

test("a damaged file is wrong, with line and column", async () => {
  await using bench = await agentBench({ steps: [] });
  const [found] = await checked(bench, '{\n  "mcpServers": {\n    "a" {}\n  }\n}', []);
  expect(found?.status).toBe("wrong");
  expect(found?.message).toMatch(/home\/mcp\.json:3:\d+: /);
  const outcome = await bench.acumen(["doctor"]);
  expect(outcome.code).toBe(1);
  expect(outcome.stderr).toContain("Something is wrong with: mcp.");
});

test("unset variables, programs that are not there and missing servers are named; what is not enabled is a note", async () => {
  await using bench = await agentBench({ steps: [] });
  const servers = {
    unset: { command: "sh", env: { TOKEN: "${DOCTOR_TEST_TOKEN}", OTHER: SECRET } },
    absent: { command: "no-such-program-4f9a", env: { OTHER: SECRET } },
    unused: { command: "/nowhere/srv" },
    broken: { args: [] },
  };
  const found = await checked(bench, servers, ["unset", "absent", "ghost"]);
  const shown = found.map(({ status, message }) => `${status} ${message}`);
  expect(shown).toEqual([
    expect.stringMatching(/^wrong .*unset.*DOCTOR_TEST_TOKEN is not set/),
    expect.stringMatching(/^wrong absent: .*no-such-program-4f9a/),
    expect.stringMatching(/^note unused: .*nowhere/),
    expect.stringMatching(/^note .*broken.*command/),
    expect.stringMatching(/^note ghost is enabled here and not defined/),
  ]);
  expect(JSON.stringify(found)).not.toContain(SECRET);
});

test.each([0o644, 0o640, 0o620])(
  "a file of servers that others may read or change is noted: %o",
  async (mode) => {
    await using bench = await agentBench({ steps: [] });
    await checked(bench, { a: { command: "sh" } }, []);
    const path = `${bench.home}/mcp.json`;
    await chmod(path, mode);
    expect(await look(bench)).toEqual([
      {
        name: "mcp",
        status: "note",
        message: `${path} can be read or changed by others (mode 0${mode.toString(8)})`,
        remedy: `Run \`chmod 600 ${path}\`.`,
      },
    ]);
  },
);
