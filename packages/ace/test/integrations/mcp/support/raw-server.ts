import { sourceCommand, startProcess, type TestProcess } from "@acumen/testkit";
import { BIN } from "./server-process.ts";

export interface RawServer extends TestProcess {
  /** Writes one line. */
  send(message: object | string): void;
  /** The response with this id, as soon as it has come. */
  response(id: number, timeoutMs?: number): Promise<Record<string, unknown>>;
  /** Handshake of the 2025 era. */
  initialize(): Promise<void>;
  /** Sends a tool call; its response comes under `id`. */
  call(id: number, tool: string, args: object): void;
}

/** `ace-mcp` without any client library, for what a well-behaved client never does. */
export function startRawServer(
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
): RawServer {
  const server = startProcess(sourceCommand(BIN, args), {
    env: { ACE_MCP_DEFAULT_MODEL: "builtin/recall", ...env },
  });
  const send: RawServer["send"] = (message) => {
    const line = typeof message === "string" ? message : JSON.stringify(message);
    server.child.stdin.write(`${line}\n`);
  };
  const response: RawServer["response"] = async (id, timeoutMs = 45_000) => {
    const pattern = new RegExp(`^.*"id":${id}[,}].*$`, "m");
    await server.waitFor("stdout", pattern, timeoutMs);
    return JSON.parse(pattern.exec(server.stdout())?.[0] ?? "") as Record<string, unknown>;
  };
  return {
    ...server,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    send,
    response,
    initialize: async () => {
      send({
        jsonrpc: "2.0",
        id: 9_000,
        method: "initialize",
        params: {
          protocolVersion: "2025-11-25",
          capabilities: {},
          clientInfo: { name: "raw", version: "1" },
        },
      });
      await response(9_000);
      send({ jsonrpc: "2.0", method: "notifications/initialized" });
    },
    call: (id, tool, args_) => {
      send({
        jsonrpc: "2.0",
        id,
        method: "tools/call",
        params: { name: tool, arguments: args_ },
      });
    },
  };
}
