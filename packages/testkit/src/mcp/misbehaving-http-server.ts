import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { MisbehavingHttpMode, MisbehavingHttpOptions, SeenHttpRequest } from "./http-modes.ts";
import { HttpPeer } from "./http-peer.ts";

export interface MisbehavingHttpServer extends AsyncDisposable {
  /** Of Streamable HTTP, and of the event stream in `sse-only`. */
  readonly url: string;
  /** As they came. */
  readonly requests: readonly SeenHttpRequest[];
  /** Requests to the other origin that `redirect-to-other-origin` names. */
  readonly elsewhere: readonly SeenHttpRequest[];
  /** JSON-RPC methods in the order in which they came. */
  methods(): string[];
  /** From now on. */
  setMode(mode: MisbehavingHttpMode): void;
  /** Forgets all sessions, as a restart does. */
  loseSessions(): void;
  /** Sockets that are open. */
  openSockets(): Promise<number>;
  close(): Promise<void>;
}

/**
 * A scripted MCP server over HTTP on the loopback interface, of the handshake era. It has the tools `echo` (gives back `text`) and
 * `headers` (the headers of the request as JSON).
 */
export async function startMisbehavingHttpServer(
  mode: MisbehavingHttpMode,
  options: MisbehavingHttpOptions = {},
): Promise<MisbehavingHttpServer> {
  const requests: SeenHttpRequest[] = [];
  const elsewhere: SeenHttpRequest[] = [];
  const other = await listen(0, elsewhere, (_request, response) => void response.end("elsewhere"));
  const peer = new HttpPeer(mode, `http://127.0.0.1:${other.port}/mcp`, options);
  const main = await listen(options.port ?? 0, requests, (request, response) =>
    peer.serve(request, response),
  );
  const close = async (): Promise<void> => {
    await Promise.all([main.close(), other.close()]);
  };
  return {
    url: `http://127.0.0.1:${main.port}/mcp`,
    requests,
    elsewhere,
    methods: () =>
      requests.flatMap(({ body }) => {
        const { method } = (body ?? {}) as { method?: string };
        return method === undefined ? [] : [method];
      }),
    setMode: (next) => {
      peer.mode = next;
    },
    loseSessions: () => peer.loseSessions(),
    openSockets: () => main.openSockets(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

interface Listener {
  readonly port: number;
  close(): Promise<void>;
  openSockets(): Promise<number>;
}

async function listen(
  port: number,
  seen: SeenHttpRequest[],
  serve: (request: SeenHttpRequest, response: ServerResponse) => void,
): Promise<Listener> {
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const request: SeenHttpRequest = {
        method: incoming.method ?? "",
        path: incoming.url ?? "",
        headers: incoming.headers,
        body: parsed(Buffer.concat(chunks).toString("utf8")),
      };
      seen.push(request);
      response.on("error", () => undefined);
      serve(request, response);
    });
    incoming.on("error", () => undefined);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    openSockets: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
      ),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
