import { readFile } from "node:fs/promises";
import { sourceCommand, startProcess, tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { acumen } from "../support/acumen.ts";
import { wordServer } from "../support/word-server.ts";

const BIN = new URL("../../src/bin.ts", import.meta.url);
const ACE_MCP = new URL("../../../ace/src/integrations/mcp/bin.ts", import.meta.url);

test("words behind -- reach the file as they are, and the exit code is that of a process", async () => {
  await using folder = await tempFolder();
  const env = { ACUMEN_HOME: folder.join("home") };
  const words = ["--json", "--env", "A=1", "--", "--help", "--no-enable", "-x", "-x", ""];
  const add = ["mcp", "add", "odd", "--no-enable", "--json", "--", "/nowhere/srv", ...words];
  const added = await acumen(add, env);
  expect(added.code).toBe(0);
  expect(JSON.parse(added.stdout)).toMatchObject({ enabled: false, server: { state: "error" } });
  const file = JSON.parse(await readFile(folder.join("home/mcp.json"), "utf8")) as object;
  expect(file).toEqual({ mcpServers: { odd: { command: "/nowhere/srv", args: words } } });
  expect((await acumen(["mcp", "test", "odd"], env)).code).toBe(1);
});

test("ace-mcp itself is a server", async () => {
  await using folder = await tempFolder();
  const { command, args } = sourceCommand(ACE_MCP);
  const env = { ACUMEN_HOME: folder.join("home") };
  const model = ["--env", "ACE_MCP_DEFAULT_MODEL=builtin/recall"];
  const at = ["--workspace", folder.path];
  const added = await acumen(["mcp", "add", "ace", ...at, ...model, "--", command, ...args], env);
  expect(added).toMatchObject({ code: 0, stderr: "" });
  expect(added.stdout).toMatch(/^ace {2}connected {3}stdio {2}6 tools$/m);
  expect(added.stdout).toContain("ace.ask (as mcp__ace__ace_ask)");
});

test("Ctrl-C ends a command that waits for a server, and the server with it", async () => {
  await using folder = await tempFolder();
  const [command, ...args] = wordServer("--slow", "60000", "alpha");
  await using child = startProcess(
    sourceCommand(BIN, ["mcp", "add", "slow", "--no-enable", "--", command ?? "", ...args]),
    { env: { ACUMEN_HOME: folder.join("home") } },
  );
  await child.waitFor("stdout", "slow is defined", 60_000);
  const server = await startedServer(child.child.pid ?? 0);
  child.child.kill("SIGINT");
  expect((await child.exited).code).toBe(130);
  await expect.poll(() => isAlive(server), { timeout: 10_000 }).toBe(false);
});

/** Among the children of a process, as soon as it is there. */
async function startedServer(parent: number): Promise<number> {
  for (;;) {
    const children = await readFile(`/proc/${parent}/task/${parent}/children`, "utf8");
    for (const pid of children.split(" ").filter((word) => word !== "")) {
      const line = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
      if (line.includes("word-server")) return Number(pid);
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
