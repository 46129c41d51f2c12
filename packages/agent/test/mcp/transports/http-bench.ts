import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  /** Undefined: no JSON. */
  readonly message: { readonly id?: unknown; readonly method?: string } | undefined;
  readonly closed: () => boolean;
}

export type Answer = (seen: Seen, response: ServerResponse) => void;

export interface HttpBench extends AsyncDisposable {
  readonly url: string;
  readonly seen: readonly Seen[];
}

/** A loopback server that remembers requests. */
export async function httpBench(answer: Answer): Promise<HttpBench> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    let text = "";
    let closed = false;
    response.on("close", () => (closed = true));
    request.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    request.on("end", () => {
      const facts = {
        method: request.method ?? "",
        path: request.url ?? "",
        headers: request.headers,
        message: text === "" ? undefined : (JSON.parse(text) as Seen["message"]),
        closed: () => closed,
      };
      seen.push(facts);
      answer(facts, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    seen,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function json(response: ServerResponse, body: unknown, headers: object = {}): void {
  response.writeHead(200, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

export function stream(response: ServerResponse, headers: object = {}): void {
  response.writeHead(200, { "content-type": "text/event-stream", ...headers });
  response.flushHeaders();
}

export function event(message: unknown, id?: string): string {
  return `${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`;
}

export function resultFor(message: Seen["message"]): object {
  const result =
    message?.method === "initialize"
      ? {
          protocolVersion: "2025-11-25",
          capabilities: { tools: {} },
          serverInfo: { name: "remote", version: "1" },
        }
      : message?.method === "tools/list"
        ? { tools: [{ name: "echo", inputSchema: { type: "object" } }] }
        : {};
  return { jsonrpc: "2.0", id: message?.id, result };
}

/** A server of Streamable HTTP: answers as JSON, with a session and a stream for GET. */
export const streamable: Answer = ({ method, message }, response) => {
  if (method === "GET") stream(response);
  else if (method === "DELETE") response.writeHead(200).end();
  else if (message?.id === undefined) response.writeHead(202).end();
  else json(response, resultFor(message), { "mcp-session-id": "s1" });
};

/** A server of the older HTTP with events: everything comes through the stream of GET. */
export function eventful(): Answer {
  let open: ServerResponse | undefined;
  return ({ method, message }, response) => {
    if (method === "GET") {
      open = response;
      stream(response);
      response.write("event: endpoint\ndata: /messages?session=1\n\n");
      return;
    }
    response.writeHead(202).end();
    if (message?.id !== undefined) open?.write(event(resultFor(message)));
    if (message?.method === "bye") open?.end();
  };
}
