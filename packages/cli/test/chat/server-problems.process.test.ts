import { expect, test } from "vitest";
import { agentBench } from "../support/agent-bench.ts";
import { chatScreen } from "./chat-screen.ts";

const BROKEN = '{\n  "mcpServers": { "a" {} }\n}';

test("a chat says at once, once, and with the place that mcp.json became no use while it runs", async () => {
  await using bench = await agentBench({ steps: [{ text: "Hello." }], repeatLast: true });
  await bench.write("home/mcp.json", "{}");
  await using chat = chatScreen(bench);
  await chat.shows("safe> ");
  expect(await chat.line("hi")).toContain("Hello.");
  await bench.write("home/mcp.json", BROKEN);
  await chat.shows("MCP servers: ");
  await chat.shows("mcp.json:2:");
  const listed = await chat.line("/mcp");
  expect(listed).toContain("wrong: ");
  expect(listed).not.toContain("MCP servers: ");
});

test("a run says it too", async () => {
  await using bench = await agentBench({ steps: [{ text: "Hello." }], repeatLast: true });
  await bench.write("home/mcp.json", BROKEN);
  const { code, stdout, stderr } = await bench.run(["hi"]);
  expect(code).toBe(0);
  expect(stdout).toContain("Hello.");
  expect(stderr.replaceAll(/\s+/g, " ")).toMatch(/MCP servers: \S*mcp\.json:2:\d+: /);
});
