import { silentLogger } from "@acumen/core";
import { type CallToolResult, Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { createMcpServer } from "../../../../src/integrations/mcp/adapters.ts";
import { type ErrorEnvelope, failureOf, replyOf } from "./server-process.ts";
import { testConfig, testEngine, type TestEngineOptions } from "./engine.ts";

export interface Connection extends AsyncDisposable {
  readonly client: Client;
  call(tool: string, args: Record<string, unknown>): Promise<CallToolResult>;
  reply(tool: string, args: Record<string, unknown>): Promise<Record<string, unknown>>;
  failure(tool: string, args: Record<string, unknown>): Promise<ErrorEnvelope>;
}

/** A real client and our protocol server in one process. */
export async function connectInMemory(options: TestEngineOptions = {}): Promise<Connection> {
  const { handlers } = testEngine(options);
  const server = createMcpServer({
    config: testConfig(options.config),
    version: "0.0.0",
    call: (tool, args, context) => handlers.call(tool, args, context),
    logger: options.logger ?? silentLogger,
  });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(near);
  const call: Connection["call"] = async (name, args) =>
    await client.callTool({ name, arguments: args });
  return {
    client,
    call,
    reply: async (tool, args) => replyOf(await call(tool, args)),
    failure: async (tool, args) => failureOf(await call(tool, args)),
    [Symbol.asyncDispose]: () => client.close(),
  };
}
