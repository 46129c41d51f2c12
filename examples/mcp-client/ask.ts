// A minimal MCP client: starts `ace-mcp`, teaches it two facts, asks, and checks the answer.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

// Any host starts the server like this; from the checkout the command is Node with the package's bin.
const transport = new StdioClientTransport({
  command: process.execPath,
  args: [
    fileURLToPath(new URL("./bin/ace-mcp.js", import.meta.resolve("@acumen/ace/package.json"))),
  ],
  // The embedded model: no key, no network. With a key, name a language model instead.
  env: { ACE_MCP_DEFAULT_MODEL: "builtin/recall" },
});
const client = new Client({ name: "example-client", version: "1.0.0" });
await client.connect(transport);

try {
  const { tools } = await client.listTools();
  console.log(`Tools: ${tools.map((tool) => tool.name).join(", ")}`);

  const session_id = "example";
  const learned = await call("ace.learn.sample", {
    session_id,
    samples: [
      { question: "Which command shows the log of the last build?", ground_truth: "ci log --last" },
      { question: "Which command starts the test suite again?", ground_truth: "ci retry tests" },
    ],
  });
  assert.equal(learned["processed"], 2);

  const reply = await call("ace.ask", {
    session_id,
    question: "What do I type to see the log of the build that ran last?",
  });
  console.log(`Answer: ${String(reply["answer"])} (from ${String(reply["skill_count"])} skills)`);
  assert.equal(reply["answer"], "ci log --last");
} finally {
  // Closing stdin ends the server.
  await client.close();
}
console.log("ok");

/** Calls a tool; a failure of the server is a result with `isError` whose text is `{code, message, details}`. */
async function call(name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
  const result = await client.callTool({ name, arguments: args });
  assert.notEqual(result.isError, true, JSON.stringify(result.content));
  return result.structuredContent as Record<string, unknown>;
}
