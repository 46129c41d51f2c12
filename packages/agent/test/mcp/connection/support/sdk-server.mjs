// A server as people write them with the SDK. Its argument says how it is spoken to; over HTTP it prints its port.
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createServer } from "node:http";
import { Readable } from "node:stream";

const properties = { text: { type: "string" }, times: { type: "integer" } };

function build() {
  const server = new McpServer(
    { name: "real", version: "1" },
    { instructions: "Repeats what it is told." },
  );
  server.registerTool(
    "repeat",
    {
      description: "Says a text several times",
      inputSchema: fromJsonSchema({ type: "object", properties, required: ["text"] }),
      annotations: { readOnlyHint: true },
    },
    ({ text, times = 1 }) => {
      if (times > 100) throw new Error("too often");
      return {
        content: [{ type: "text", text: text.repeat(times) }],
        structuredContent: { length: text.length * times },
      };
    },
  );
  return server;
}

async function serve(handler, incoming, outgoing) {
  const body = incoming.method === "POST" ? Readable.toWeb(incoming) : undefined;
  const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
    method: incoming.method,
    headers: incoming.headers,
    ...(body && { body, duplex: "half" }),
  });
  const response = await handler.fetch(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.flushHeaders();
  if (response.body === null) outgoing.end();
  else
    Readable.fromWeb(response.body)
      .on("error", () => outgoing.destroy())
      .pipe(outgoing);
}

if (process.argv[2] === "stdio") serveStdio(build);
else {
  const handler = createMcpHandler(build);
  const http = createServer((incoming, outgoing) => void serve(handler, incoming, outgoing));
  http.listen(0, "127.0.0.1", () => console.log(http.address().port));
  process.stdin.on("end", () => process.exit(0)).resume();
}
