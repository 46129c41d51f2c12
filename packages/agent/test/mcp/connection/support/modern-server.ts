import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ModernRequest {
  readonly id?: number | string;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly headers: IncomingHttpHeaders;
}

export interface ModernServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly ModernRequest[];
  tools: readonly unknown[];
  /** What a call is answered with. */
  result: unknown;
  /** Calls whose stream the client closed. */
  readonly closed: (number | string | undefined)[];
  /** Sends a notification to those who listen. */
  notify(method: string): void;
  listeners(): number;
}

/** A scripted server of the protocol without a handshake, 2026-07-28. */
export async function startModernServer(): Promise<ModernServer> {
  const requests: ModernRequest[] = [];
  const closed: (number | string | undefined)[] = [];
  const streams = new Map<string, ServerResponse>();
  const http = createServer((incoming, response) => {
    let text = "";
    incoming.on("data", (chunk: Buffer) => (text += chunk.toString()));
    incoming.on("end", () => {
      const message = JSON.parse(text || "{}") as ModernRequest;
      requests.push({ ...message, headers: incoming.headers });
      serve(message, response);
    });
  });
  const serve = ({ id, method }: ModernRequest, response: ServerResponse): void => {
    const send = (result: unknown): void => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    };
    if (method === "server/discover") {
      send({
        resultType: "complete",
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: {} },
        instructions: "Modern.",
        ttlMs: 0,
        cacheScope: "private",
      });
    } else if (method === "tools/list") send({ resultType: "complete", tools: server.tools });
    else if (method === "tools/call" && server.result === "hang") {
      response.on("close", () => closed.push(id));
    } else if (method === "tools/call") send(server.result);
    else if (method === "subscriptions/listen") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      streams.set(String(id), response);
      response.on("close", () => streams.delete(String(id)));
      event(response, String(id), "notifications/subscriptions/acknowledged", {
        notifications: { toolsListChanged: true },
      });
    } else response.writeHead(202).end();
  };
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const server: ModernServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    requests,
    closed,
    tools: [],
    result: { resultType: "complete", content: [{ type: "text", text: "modern" }] },
    notify: (method) => {
      for (const [id, stream] of streams) event(stream, id, method, {});
    },
    listeners: () => streams.size,
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  return server;
}

function event(response: ServerResponse, id: string, method: string, params: object): void {
  const _meta = { "io.modelcontextprotocol/subscriptionId": id };
  const message = { jsonrpc: "2.0", method, params: { ...params, _meta } };
  response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
}
