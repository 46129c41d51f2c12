import { expect, test } from "vitest";
import { agentBench } from "../support/agent-bench.ts";
import { wordServer } from "../support/word-server.ts";
import { chatScreen } from "./chat-screen.ts";

test("what /mcp does to a server is said once, by its answer; what happens to it later is said again", async () => {
  await using bench = await agentBench({ steps: [{ text: "Hello." }], repeatLast: true });
  const add = ["mcp", "add", "words", "--workspace", bench.workspace, "--"];
  await bench.acumen([...add, ...wordServer("alpha")]);
  await using chat = chatScreen(bench);
  await chat.shows("safe> ");
  await chat.line("hi");
  const from = chat.text().length;
  expect(await chat.line("/mcp pause words")).toMatch(/words {2}paused/);
  expect(await chat.line("/mcp resume words")).toMatch(/words {2}connected/);
  expect(await chat.line("/mcp disable words")).toMatch(/words {2}disabled/);
  await chat.line("again");
  expect(chat.text().slice(from)).not.toContain("MCP server words");
  await bench.acumen(["mcp", "enable", "words", "--workspace", bench.workspace]);
  await chat.shows("MCP server words: connected with 1 tool");
});
