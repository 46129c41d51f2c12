// A small MCP server that tells what it was sent. Its argument says what it does otherwise.
import { createInterface } from "node:readline";

const [mode] = process.argv.slice(2);
const seen = [];
let initialize;

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

function greeting(params) {
  const { protocolVersion } = params;
  if (mode === "sparse-greeting")
    return { protocolVersion, capabilities: { tools: null }, serverInfo: null, instructions: null };
  const serverInfo = { name: "mirror", version: "1" };
  return { protocolVersion, capabilities: { tools: {} }, serverInfo };
}

function answer({ id, method, params }) {
  if (method === "initialize") {
    initialize = params;
    send({ id, result: greeting(params) });
  } else if (method === "tools/call" && params.name === "seen") {
    const methods = seen.map((message) => message.method);
    const text = JSON.stringify({
      initialize,
      methods,
      calls: seen.filter((it) => it.method === "tools/call"),
      seen,
    });
    send({ id, result: { content: [{ type: "text", text }] } });
  } else if (method === "tools/call" && params.name === "nulls") {
    const content = [{ type: "text", text: "around", annotations: null, _meta: null }];
    send({ id, result: { content, structuredContent: null, isError: null } });
  } else if (method === "tools/call" && params.name === "garbage") {
    for (let index = 0; index < 200; index += 1) {
      send({ method: "notifications/made-up", params: { index } });
      send({ method: "notifications/tools/list_changed", params: null });
      send({ method: "notifications/cancelled", params: { requestId: { odd: true } } });
      send({ method: "notifications/progress", params: { progressToken: {}, progress: "x" } });
      send({ id: `nobody-${index}`, result: {} });
      send({ id: 1_000_000 + 500 + index, result: {} });
      send({ id: index, error: { code: 1, message: "for nobody" } });
      send({ id: `ask-${index}`, method: "sampling/createMessage", params: {} });
    }
    send({ id: String(id), result: { content: [{ type: "text", text: "after the garbage" }] } });
  }
}

if (mode === "shell") process.stdout.write("Welcome to the shell\n");
createInterface({ input: process.stdin }).on("line", (line) => {
  if (mode === "shell") return;
  const message = JSON.parse(line);
  seen.push(message);
  if (message.id !== undefined && message.method !== undefined) answer(message);
});
