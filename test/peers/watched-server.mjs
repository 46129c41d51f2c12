import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { McpServer as OlderServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

/**
 * A server whose tool `wait` says in the file LOG when it begins and when it is cancelled: `node watched-server.mjs KIND`, where KIND
 * is `v1` or `v2` over stdio, or `http` for both eras of the protocol, with its address on stdout.
 */
const note = (line) => appendFileSync(process.env.LOG, `${line}\n`);

async function wait(signal) {
  note("began");
  await new Promise((resolve) => {
    const timer = setTimeout(resolve, 60_000);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      note("cancelled");
      resolve();
    });
  });
  return { content: [{ type: "text", text: "waited" }] };
}

function newerServer() {
  const server = new McpServer({ name: "watched", version: "1.0.0" });
  server.registerTool("wait", { description: "Waits", inputSchema: z.object({}) }, (_args, ctx) =>
    wait(ctx.mcpReq.signal),
  );
  server.registerTool(
    "greet",
    {
      description: "Greets",
      inputSchema: z.object({ name: z.string() }),
      outputSchema: z.object({ greeting: z.string() }),
    },
    ({ name }) => ({
      content: [{ type: "text", text: `Hello ${name}` }],
      structuredContent: { greeting: `Hello ${name}` },
    }),
  );
  return server;
}

const [kind] = process.argv.slice(2);
if (kind === "v1") {
  const server = new OlderServer({ name: "watched", version: "1.0.0" });
  server.registerTool("wait", { description: "Waits", inputSchema: {} }, (_args, { signal }) =>
    wait(signal),
  );
  await server.connect(new StdioServerTransport());
} else if (kind === "v2") serveStdio(newerServer);
else serveHttp();

function serveHttp() {
  const handler = createMcpHandler(newerServer);
  const http = createServer((incoming, outgoing) => {
    void (async () => {
      const gone = new AbortController();
      outgoing.on("close", () => gone.abort());
      const request = new Request(`http://127.0.0.1${incoming.url}`, {
        method: incoming.method,
        headers: Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
        signal: gone.signal,
        ...(incoming.method === "POST" && { body: Readable.toWeb(incoming), duplex: "half" }),
      });
      const response = await handler.fetch(request);
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      outgoing.flushHeaders();
      if (response.body === null) outgoing.end();
      else
        Readable.fromWeb(response.body)
          .on("error", () => outgoing.destroy())
          .pipe(outgoing);
    })();
  });
  http.listen(0, "127.0.0.1", () =>
    process.stdout.write(`http://127.0.0.1:${http.address().port}/mcp\n`),
  );
}
