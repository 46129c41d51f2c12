import { type CallToolResult, Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { childEnvironment, sourceCommand } from "@acumen/testkit";

export const BIN = new URL("../../../../src/integrations/mcp/bin.ts", import.meta.url);

export interface ServerProcess extends AsyncDisposable {
  readonly client: Client;
  readonly pid: number;
  stderr(): string;
  /** The reply of a tool that must succeed. */
  reply(tool: string, args: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** The error envelope of a tool that must fail. */
  failure(tool: string, args: Record<string, unknown>): Promise<ErrorEnvelope>;
}

export interface ErrorEnvelope {
  readonly code: string;
  readonly message: string;
  readonly details: Record<string, unknown>;
}

/** Starts `ace-mcp` from its sources and connects a real client; without a key or network, on `builtin/recall`. */
export async function startServer(
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const transport = new StdioClientTransport({
    ...command(),
    env: childEnvironment({ ACE_MCP_DEFAULT_MODEL: "builtin/recall", ...env }),
    stderr: "pipe",
  });
  let stderr = "";
  transport.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(transport);
  const call = async (name: string, args: Record<string, unknown>): Promise<CallToolResult> =>
    await client.callTool({ name, arguments: args });
  return {
    client,
    pid: transport.pid ?? -1,
    stderr: () => stderr,
    reply: async (tool, args) => replyOf(await call(tool, args)),
    failure: async (tool, args) => failureOf(await call(tool, args)),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function command(): { command: string; args: string[] } {
  const { command: program, args } = sourceCommand(BIN);
  return { command: program, args: [...args] };
}

export function textOf(result: CallToolResult): string {
  const [block] = result.content;
  return block?.type === "text" ? block.text : "";
}

export function replyOf(result: CallToolResult): Record<string, unknown> {
  if (result.isError) throw new Error(`the call failed: ${textOf(result)}`);
  return JSON.parse(textOf(result)) as Record<string, unknown>;
}

export function failureOf(result: CallToolResult): ErrorEnvelope {
  if (!result.isError) throw new Error(`the call should have failed: ${textOf(result)}`);
  return JSON.parse(textOf(result)) as ErrorEnvelope;
}
