import { type Logger, silentLogger } from "@acumen/core";
import { PassThrough } from "node:stream";
import type { RunnerFactory } from "../../../../src/integrations/mcp/runner.ts";
import { type RunningServer, serve } from "../../../../src/integrations/mcp/server.ts";
import type { McpServerConfig } from "../../../../src/integrations/mcp/config.ts";
import { testConfig } from "./engine.ts";

export interface LineServer extends AsyncDisposable {
  readonly server: RunningServer;
  readonly stdin: PassThrough;
  readonly stdout: PassThrough;
  /** All lines that were written so far. */
  output(): string;
  /** Writes one line. */
  send(message: object | string): void;
  /** Sends a request and waits for its response. */
  request(method: string, params?: object): Promise<Record<string, unknown>>;
  /** Handshake of the 2025 era. */
  initialize(): Promise<void>;
  call(tool: string, args: unknown): Promise<Record<string, unknown>>;
}

export interface LineServerOptions {
  readonly config?: Partial<McpServerConfig>;
  readonly createRunner?: RunnerFactory;
  readonly logger?: Logger;
}

/** The server on a pair of streams in this process, for clients that send what no client library would. */
export async function startLineServer(options: LineServerOptions = {}): Promise<LineServer> {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const lines: string[] = [];
  let rest = "";
  const waiting = new Map<number, (response: Record<string, unknown>) => void>();
  stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const [first = "", ...more] = chunk.split("\n");
    rest += first;
    for (const start of more) {
      lines.push(rest);
      const message = JSON.parse(rest) as Record<string, unknown>;
      rest = start;
      const id = Number(message["id"]);
      waiting.get(id)?.(message);
      waiting.delete(id);
    }
  });
  const server = await serve({
    config: testConfig(options.config),
    logger: options.logger ?? silentLogger,
    stdin,
    stdout,
    ...(options.createRunner && { createRunner: options.createRunner }),
  });
  let lastId = 0;
  const send: LineServer["send"] = (message) => {
    stdin.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
  };
  const request: LineServer["request"] = async (method, params = {}) => {
    lastId += 1;
    const id = lastId;
    return await new Promise((resolve) => {
      waiting.set(id, resolve);
      send({ jsonrpc: "2.0", id, method, params });
    });
  };
  return {
    server,
    stdin,
    stdout,
    output: () => lines.join("\n"),
    send,
    request,
    initialize: async () => {
      await request("initialize", {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "raw", version: "1" },
      });
      send({ jsonrpc: "2.0", method: "notifications/initialized" });
    },
    call: async (tool, args) => await request("tools/call", { name: tool, arguments: args }),
    [Symbol.asyncDispose]: () => server.close(),
  };
}
