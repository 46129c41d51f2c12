import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { type AgentBench, agentBench } from "../support/agent-bench.ts";
import { wordServer } from "../support/word-server.ts";
import { type ChatScreen, chatScreen } from "./chat-screen.ts";

const CALL = { toolCalls: [{ tool: "alpha", input: {} }] };

function add(bench: AgentBench, name: string, command: readonly string[]): Promise<unknown> {
  return bench.acumen(["mcp", "add", name, "--workspace", bench.workspace, "--", ...command]);
}

/** Asks until a server has connected, however busy the machine is. */
async function connected(chat: ChatScreen, name: string): Promise<string> {
  const wanted = new RegExp(`^${name} +connected`, "m");
  for (;;) {
    const listed = await chat.line("/mcp");
    if (wanted.test(listed)) return listed;
    if (!listed.includes("connecting")) throw new Error(listed);
  }
}

test("/mcp shows the servers, pauses, resumes and tries again; /status counts them", async () => {
  await using bench = await agentBench({ steps: [CALL, { text: "Done." }], repeatLast: true });
  await add(bench, "words", wordServer("alpha", "beta"));
  await add(bench, "gone", ["/nowhere/srv"]);
  await using chat = chatScreen(bench, ["--mode", "auto"]);
  // Said without being asked, and only what is wrong.
  await chat.shows("MCP server gone: error. ");
  const listed = await connected(chat, "words");
  expect(await chat.line("go")).toContain("the word is alpha");
  expect(listed).toMatch(/^words {2}connected {3}stdio {2}2 tools\r?$/m);
  expect(listed).toMatch(/^gone {3}error {7}stdio\r?$/m);
  expect(listed).toContain("workspace: ");
  for (const line of listed.split("\n").slice(1, -1)) expect(line.length).toBeLessThanOrEqual(81);
  expect(await chat.line("/status")).toContain("servers   1 of 2 connected (/mcp)");
  expect(await chat.line("/mcp pause words")).toMatch(/words {2}paused/);
  expect(await chat.line("/mcp resume words")).toMatch(/words {2}connected/);
  expect(await chat.line("/mcp retry gone")).toMatch(/gone {2}error/);
  expect(await chat.line("/mcp pause nobody")).toContain("AGENT_MCP_SERVER_UNKNOWN");
  expect(await chat.line("/mcp stop words")).toContain(
    "/mcp pause|resume|retry|enable|disable NAME",
  );
  expect(await chat.line("/mcp pause")).toContain("CLI_USAGE");
  expect(chat.errors()).toBe("");
});

test("what becomes of a server while the prompt waits is said above it, with what was typed kept", async () => {
  await using bench = await agentBench({ steps: [{ text: "Hello." }], repeatLast: true });
  await using chat = chatScreen(bench);
  await chat.shows("safe> ");
  await chat.line("hi");
  chat.type("half a que");
  await chat.shows("half a que");
  await add(bench, "late", wordServer("alpha"));
  await chat.shows("MCP server late: connected with 1 tool");
  await chat.shows("safe> half a que");
  expect(await chat.line("stion")).toContain("Hello.");
  const { stdout } = await bench.acumen(["sessions", "show", "last", "--json"]);
  expect(stdout).not.toContain("MCP server late");
});

test("a server whose tools are too many says so in one line, here and in a run, and in its state", async () => {
  await using bench = await agentBench({ steps: [{ text: "Hello." }], repeatLast: true });
  const names = Array.from({ length: 140 }, (_, index) => `t${index}`);
  await add(bench, "big", wordServer(...names));
  const probed = await bench.acumen(["mcp", "test", "big"]);
  expect(probed.stdout).toMatch(/^big {2}connected {3}stdio {2}119 tools$/m);
  expect(probed.stdout).toContain("21 of its 140 tools are left out");
  expect(probed.stdout).toMatch(/t119, t120, t121, t122, t123, 16 more are left out:/);
  const { stderr } = await bench.run(["go"]);
  const said = /MCP server big: connected\.\s+\d+ of its 140 tools are\s+left\s+out/;
  expect(stderr).toMatch(said);
  expect(stderr).not.toContain('{"');
  await using chat = chatScreen(bench);
  await chat.shows("of its 140 tools");
  expect(await connected(chat, "big")).toMatch(
    /^big {2}connected {3}stdio {2}1(?:19|20) tools\r?$/m,
  );
  expect(await chat.line("hi")).not.toContain('{"');
  expect(chat.errors()).toBe("");
});

test("on a terminal that moves no cursor the prompt is written again below", async () => {
  await using bench = await agentBench({ steps: [{ text: "Hello." }], repeatLast: true });
  await using chat = chatScreen(bench, [], { variables: { TERM: "dumb" } });
  await chat.shows("safe> ");
  chat.type("half");
  await chat.shows("half");
  await add(bench, "gone", ["/nowhere/srv"]);
  await chat.shows("\n  MCP server gone: error. ");
  await chat.shows("PATH?\nsafe> half");
});

test("/mcp enable and disable change the workspace, which stays trusted, and touch no other server", async () => {
  await using bench = await agentBench({ steps: [{ text: "Hello." }], repeatLast: true });
  await add(bench, "words", wordServer("alpha"));
  await bench.acumen(["mcp", "add", "more", "--no-enable", "--", ...wordServer("beta")]);
  const choice = (): Promise<string> =>
    readFile(`${bench.workspace}/.acumen/workspace.json`, "utf8");
  await using chat = chatScreen(bench);
  await chat.shows("safe> ");
  await chat.line("hi");
  expect(await chat.line("/mcp enable more")).toMatch(/^more {2}connected {3}stdio {2}1 tool\r?$/m);
  expect(await choice()).toContain("more");
  const disabled = await chat.line("/mcp disable more");
  expect(disabled).toMatch(/^more {2}disabled/m);
  expect(disabled).not.toContain("words");
  expect(await choice()).not.toContain("more");
  expect(await chat.line("/mcp disable more")).toContain("more was not enabled here.");
  await bench.write("work/.acumen/skillbook.json", "{}");
  expect(await chat.line("/mcp enable more")).toContain("in a folder that is trusted");
  expect(await choice()).not.toContain("more");
});

test("a chat that the agent opened enables nothing", async () => {
  await using bench = await agentBench({ steps: [{ text: "Hello." }], repeatLast: true });
  await add(bench, "words", wordServer("alpha"));
  await using chat = chatScreen(bench, [], { variables: { ACUMEN_AGENT: "1" } });
  await chat.shows("safe> ");
  expect(await chat.line("/mcp enable other")).toContain("CLI_REFUSED_TO_AGENT");
  expect(await chat.line("/mcp disable words")).toMatch(/^words {2}disabled/m);
});

test("the first prompt says what it waits for, and waits two seconds at most", async () => {
  await using bench = await agentBench({ steps: [{ text: "Hello." }], repeatLast: true });
  await add(bench, "slow", wordServer("alpha"));
  const slow = wordServer("--slow", "8000", "alpha");
  const definition = { command: slow[0], args: slow.slice(1) };
  await bench.write("home/mcp.json", JSON.stringify({ mcpServers: { slow: definition } }));
  await using chat = chatScreen(bench);
  await chat.shows("safe> ");
  const startedAt = performance.now();
  const turn = await chat.line("hi");
  expect(turn).toContain("Waiting for MCP servers: slow.");
  expect(turn).toContain("Hello.");
  expect(performance.now() - startedAt).toBeLessThan(6_000);
  expect(await chat.line("again")).not.toContain("Waiting");
});

test("a chat of an untrusted folder says why its servers are disabled, and starts them after /trust", async () => {
  await using bench = await agentBench({ steps: [{ text: "Hello." }], repeatLast: true });
  await bench.write("home/mcp.json", '{"mcpServers":{"one":{"command":"/nowhere/srv"}}}');
  await bench.write("work/.acumen/workspace.json", '{"enabledMcpServers":["one"]}');
  await using chat = chatScreen(bench, [], { variables: { TERM: "dumb" } });
  await chat.shows("[y/N]");
  chat.type("n\r");
  await chat.shows("MCP server one: disabled. The workspace is not trusted.");
  await chat.shows("safe> ");
  chat.type("/trust\r");
  await chat.shows("[y/N]");
  chat.type("y\r");
  await chat.shows("MCP server one: error. ");
});
