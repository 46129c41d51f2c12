import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { AcpEvent } from "../../../src/envelope/acp-event.ts";

/** Some other server at a free port. */
export async function listening(
  listener: RequestListener,
): Promise<AsyncDisposable & { url: string }> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const dispose = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => void server.close(() => resolve()));
  };
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: dispose };
}

export const DESCRIBED = {
  acp_version: "1.0",
  request_id: "r",
  status: "ok",
  data: { supported_versions: ["1.0"] },
  error: null,
  timing_ms: 1,
};

/** A server that answers dispatches with what the function gives, one after the other. */
export function scripted(
  answers: (call: number, body: string) => { status: number; body: unknown },
) {
  const seen: string[] = [];
  const listener: RequestListener = (request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => void (body += chunk.toString()));
    request.on("end", () => {
      const isDescribe = request.url === "/acp/v1/describe";
      if (!isDescribe) seen.push(body);
      const answer = isDescribe ? { status: 200, body: DESCRIBED } : answers(seen.length, body);
      if (answer.status === 0) request.socket.destroy();
      else response.writeHead(answer.status).end(JSON.stringify(answer.body));
    });
  };
  return { seen, listener };
}

export function failure(code: string, more: Readonly<Record<string, unknown>> = {}) {
  return {
    ...DESCRIBED,
    status: "error",
    data: {},
    error: { code, message: "m", details: {}, ...more },
  };
}

/** Collects in the background. */
export function collect(events: AsyncIterable<AcpEvent>) {
  const seen: AcpEvent[] = [];
  const read = async (): Promise<"ended"> => {
    for await (const event of events) seen.push(event);
    return "ended";
  };
  return { seen, ended: read().catch((error: unknown) => error as Error) };
}
