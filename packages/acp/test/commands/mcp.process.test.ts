import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type CommandBench, commandBench } from "./support/command-bench.ts";

/** A server on stdio with one tool for each name behind the script. */
const SERVER = `
const tools = process.argv.slice(1).map((name) => ({ name, inputSchema: { type: "object" } }));
const results = {
  initialize: (params) => ({
    protocolVersion: params.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "words", version: "1" },
  }),
  "tools/list": () => ({ tools }),
  ping: () => ({}),
};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = results[method]?.(params);
  const answer = result ? { result } : { error: { code: -32601, message: "unknown" } };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
});`;

function words(...names: readonly string[]): object {
  return { command: process.execPath, args: ["-e", SERVER, ...names] };
}

/** Says it until no server connects any more, however busy the machine is. */
async function settled(bench: CommandBench): Promise<string> {
  for (;;) {
    const said = (await bench.say("/mcp")) ?? "";
    if (!said.includes(": connecting")) return said;
  }
}

test("/mcp lists the servers of a host and acts on one; /status names what does not work", async () => {
  await using bench = await commandBench({
    servers: {
      words: words("alpha", "beta"),
      gone: { command: "/nowhere/[srv](x)" },
    },
  });
  const said = await settled(bench);
  expect(said).toContain(
    "- `words`: connected, stdio, 2 tools, brought by the host\n- `gone`: error, stdio, brought by the host. ",
  );
  expect(said).toContain(String.raw`[srv\](x)`);
  expect(said).not.toContain(`Defined in \`${bench.home}/mcp.json\``);
  const status = await bench.say("/status");
  expect(status).toMatch(/- MCP servers: 1 of 2 connected\n {2}- `gone`: error/);
  expect(await bench.say("/mcp pause words")).toMatch(/^- `words`: paused/);
  expect(await bench.say("/mcp RESUME words")).toMatch(/^- `words`: connected, stdio, 2 t/);
  expect(await bench.say("/mcp retry gone")).toMatch(/^- `gone`: error/);
  expect(await bench.say("/mcp pause nobody")).toMatch(/^AGENT_MCP_SERVER_UNKNOWN: /);
  for (const text of ["/mcp pause", "/mcp stop gone", "/mcp gone"]) {
    expect(await bench.say(text)).toBe("Say `/mcp`, or `/mcp pause|resume|retry NAME`.");
  }
});

test("/mcp in a session without servers says where they come from", async () => {
  await using bench = await commandBench();
  expect(await bench.say("/mcp")).toContain("No MCP server is defined.");
  expect(await bench.say("/status")).not.toContain("MCP servers");
});

test("/mcp that is cancelled ends at once, although its server does not answer", async () => {
  const silent = { command: process.execPath, args: ["-e", "process.stdin.resume()"] };
  await using bench = await commandBench({ servers: { silent } });
  const controller = new AbortController();
  const retrying = bench.say("/mcp retry silent", controller.signal);
  const began = performance.now();
  controller.abort();
  await expect(retrying).rejects.toMatchObject({ code: "CORE_ABORTED" });
  expect(performance.now() - began).toBeLessThan(3_000);
});

test("/trust starts the servers of the folder in the session that is open", async () => {
  await using bench = await commandBench();
  const { home, trust, cwd } = bench;
  await writeFile(
    join(home, "mcp.json"),
    JSON.stringify({ mcpServers: { words: words("alpha") } }),
  );
  await bench.write(".acumen/workspace.json", JSON.stringify({ enabledMcpServers: ["words"] }));
  expect(await trust.check(cwd)).toMatchObject({ state: "untrusted" });
  expect(await settled(bench)).toMatch(/^- `words`: disabled/);
  expect(await bench.say("/trust")).toContain("Its MCP servers start now (see `/mcp`).");
  expect(await settled(bench)).toMatch(/^- `words`: connected, stdio, 1 tool/);
  expect(bench.session.tools().map(({ exposedName }) => exposedName)).toContain("alpha");
});
