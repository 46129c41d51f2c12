import { readFile, writeFile } from "node:fs/promises";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { InputStream } from "../../src/command-context.ts";
import { main } from "../../src/main.ts";
import { type AgentBench, agentBench } from "../support/agent-bench.ts";
import { lastRecord } from "../support/run-main.ts";
import { wordServer } from "../support/word-server.ts";

interface Shown {
  readonly code: number;
  readonly text: string;
}

/** `acumen mcp …` on a terminal; each question is answered with a key. */
async function onTerminal(
  bench: AgentBench,
  [word = "", ...rest]: readonly string[],
  answers: Readonly<Record<string, string>>,
): Promise<Shown> {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  const left = new Map(Object.entries(answers));
  let text = "";
  output.on("data", (chunk: Buffer) => {
    text += String(chunk);
    for (const [question, key] of left) {
      if (!text.includes(question)) continue;
      left.delete(question);
      setTimeout(() => input.write(key), 20);
    }
  });
  const code = await main(["mcp", word, "--workspace", bench.workspace, ...rest], {
    stdout: output,
    stderr: { write: (chunk) => (text += chunk) },
    stdin: () => input as unknown as InputStream,
    variables: { PATH: process.env["PATH"] ?? "", ACUMEN_HOME: bench.home, NO_COLOR: "1" },
    signal: new AbortController().signal,
  });
  return { code, text };
}

async function trustState(bench: AgentBench): Promise<unknown> {
  const listed = await bench.acumen(["trust", "--list", "--json"]);
  const { workspaces } = lastRecord(listed) as { workspaces: { state: string }[] };
  return workspaces[0]?.state ?? "untrusted";
}

async function choiceText(bench: AgentBench): Promise<string> {
  const path = `${bench.workspace}/.acumen/workspace.json`;
  return readFile(path, "utf8").catch(() => "");
}

async function defined(): Promise<AgentBench> {
  const bench = await agentBench({ steps: [] });
  const definition = { command: "/nowhere/srv" };
  await bench.write("home/mcp.json", JSON.stringify({ mcpServers: { one: definition } }));
  return bench;
}

test("nothing is asked about a folder that brings nothing", async () => {
  await using bench = await defined();
  const { code, text } = await onTerminal(bench, ["enable", "one"], {});
  expect(code).toBe(0);
  expect(text).toMatch(/^One moment \.\.\./);
  expect(text).not.toContain("Trust it");
  expect(await trustState(bench)).toBe("trusted");
});

test.each([
  ["y", "trusted", true],
  ["n", "untrusted", false],
])("what an untrusted folder brings is shown and asked about: %s", async (key, state, isOn) => {
  await using bench = await defined();
  const brought = '{ "enabledMcpServers": ["other"], "note": 1 }\n';
  await bench.write("work/.acumen/workspace.json", brought);
  await bench.write("work/.acumen/skillbook.json", "{}");
  const { code, text } = await onTerminal(bench, ["enable", "one"], { "Trust it": key });
  expect(code).toBe(0);
  expect(text).toContain("Its .acumen folder holds:");
  expect(text).toContain("  .acumen/skillbook.json");
  expect(text).toContain("  .acumen/workspace.json");
  expect(text).toContain('    { "enabledMcpServers": ["other", "one"], "note": 1 }');
  expect(text).toMatch(
    /It switches on these MCP servers: other, one[\s\S]*Trust it as it is now\?/,
  );
  expect(text.includes("one is not enabled. The workspace stays untrusted.")).toBe(!isOn);
  expect(await trustState(bench)).toBe(state);
  const choice = JSON.parse(await choiceText(bench)) as unknown;
  expect(choice).toEqual({ enabledMcpServers: isOn ? ["other", "one"] : ["other"], note: 1 });
});

test("where nobody can be asked, what a yes lets in goes to stderr, with the servers that come along", async () => {
  await using bench = await defined();
  await bench.write("work/.acumen/workspace.json", '{ "enabledMcpServers": ["other"] }\n');
  const { code, stderr } = await bench.acumen([
    "mcp",
    "enable",
    "one",
    "--workspace",
    bench.workspace,
  ]);
  expect(code).toBe(0);
  expect(stderr).toContain("It switches on these MCP servers: other, one");
});

test("a damaged choice of servers is not trusted along with a server", async () => {
  await using bench = await defined();
  await bench.write("work/.acumen/workspace.json", "{ damaged");
  const { code, stderr } = await bench.acumen([
    "mcp",
    "enable",
    "one",
    "--workspace",
    bench.workspace,
  ]);
  expect(code).toBe(2);
  expect(stderr).toContain("workspace.json:1:");
  expect(await trustState(bench)).toBe("untrusted");
});

test("in a changed workspace the difference is shown, also where nobody can be asked", async () => {
  await using bench = await defined();
  await bench.acumen(["trust", bench.workspace]);
  await bench.write("work/.acumen/config.json", '{"limits":{"maxSteps":5}}\n');
  const words = ["mcp", "enable", "one", "--workspace", bench.workspace];
  const enabled = await bench.acumen(words);
  expect(enabled.code).toBe(0);
  expect(enabled.stderr).toContain("added .acumen/config.json");
  expect(enabled.stderr).toContain('+{"limits":{"maxSteps":5}}');
  expect(await trustState(bench)).toBe("trusted");
  await bench.write("work/.acumen/config.json", '{"limits":{"maxSteps":6}}\n');
  const asked = await onTerminal(bench, ["enable", "two"], { "Trust it": "n" });
  expect(asked.text).toMatch(/maxSteps":6[\s\S]*Trust it as it is now\?/);
  expect(await trustState(bench)).toBe("changed");
  expect(await choiceText(bench)).not.toContain("two");
  const json = await bench.acumen([...words, "--json"]);
  expect(json.stderr).toBe("");
  expect(lastRecord(json)).toMatchObject({
    trust: {
      state: "trusted",
      previous: "changed",
      difference: [{ path: ".acumen/config.json", change: "changed" }],
    },
  });
});

test("disabling keeps what was trusted trusted, and trusts nothing else", async () => {
  await using bench = await defined();
  const at = ["--workspace", bench.workspace];
  await bench.acumen(["mcp", "enable", "one", ...at]);
  await bench.acumen(["mcp", "disable", "one", ...at]);
  expect(await trustState(bench)).toBe("trusted");
  await bench.acumen(["mcp", "enable", "one", ...at]);
  await writeFile(`${bench.workspace}/.acumen/config.json`, "{}");
  const disabled = await bench.acumen(["mcp", "disable", "one", ...at, "--json"]);
  expect(lastRecord(disabled)).toMatchObject({ changed: true, trust: { state: "changed" } });
  expect(await trustState(bench)).toBe("changed");
});

test("settings that no session could begin with: nothing is enabled, add says that it only defines", async () => {
  await using bench = await defined();
  await bench.write("work/.acumen/config.json", "{ damaged");
  const at = ["--workspace", bench.workspace];
  const enabled = await bench.acumen(["mcp", "enable", "one", ...at]);
  expect(enabled.code).toBe(2);
  expect(enabled.stderr).toContain("config.json:1:");
  const added = await bench.acumen(["mcp", "add", "two", ...at, "--json", "--", "/nowhere/srv"]);
  expect(added.code).toBe(0);
  expect(lastRecord(added)).toMatchObject({
    enabled: false,
    reason: expect.stringContaining("config.json:1:"),
  });
  expect(await choiceText(bench)).toBe("");
});

test("on a terminal a conflict of names is asked about, and the progress is a bar that goes away", async () => {
  await using bench = await agentBench({ steps: [] });
  const words = ["add", "files", "--", ...wordServer("bash", "alpha")];
  const { code, text } = await onTerminal(bench, words, { "longer names": "y" });
  expect(code).toBe(0);
  expect(text).toContain("Connecting to MCP servers");
  expect(text).toContain("tools: alpha, bash (as mcp__files__bash)");
  const file = JSON.parse(await readFile(`${bench.home}/mcp.json`, "utf8")) as object;
  expect(file).toMatchObject({ mcpServers: { files: { onConflict: "qualify" } } });
});
