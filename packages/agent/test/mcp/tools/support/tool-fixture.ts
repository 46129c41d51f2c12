import { createRedactor } from "../../../../src/redaction/redactor.ts";
import type { CallAnswer, ListedTool } from "../../../../src/mcp/connection/mcp-connection.ts";
import { convertSchema } from "../../../../src/mcp/tools/convert-schema.ts";
import { createMcpTool, type McpToolOptions } from "../../../../src/mcp/tools/create-mcp-tool.ts";
import { readListedTool } from "../../../../src/mcp/tools/read-listed-tool.ts";
import type { RunContext, Tool, ToolOutcome } from "../../../../src/tools/tool.ts";

/** Hidden wherever it stands. */
export const SECRET = "s3cr3t-of-the-definition";

/** A listed tool as the model gets it; `call` says what the server answers. */
export function mcpTool(
  listed: ListedTool,
  call: McpToolOptions["call"],
  more: Partial<McpToolOptions> = {},
): Tool {
  const redact = createRedactor([SECRET]);
  const read = readListedTool(listed, redact);
  if (!read.ok) throw new Error(read.reason);
  const converted = convertSchema(read.facts.inputSchema, redact);
  if (!converted.ok) throw new Error(converted.reason);
  return createMcpTool({
    server: "demo",
    facts: read.facts,
    converted,
    trustReadOnlyHint: false,
    definitionFingerprint: "f1",
    call,
    outputFolder: () => Promise.reject(new Error("no folder is expected to be needed")),
    redact,
    ...more,
  });
}

export function answer(result: Record<string, unknown>): () => Promise<CallAnswer> {
  return () => Promise.resolve({ ok: true, result });
}

export function runContext(more: Partial<RunContext> = {}): RunContext {
  return {
    sessionId: "s",
    turnId: "t",
    callId: "c",
    seq: 7,
    signal: new AbortController().signal,
    ...more,
  };
}

export async function runTool(
  tool: Tool,
  input: unknown,
  context: Partial<RunContext> = {},
): Promise<ToolOutcome> {
  const prepared = await tool.prepare(input, { signal: new AbortController().signal });
  if (!prepared.ok) throw new Error(prepared.message);
  return prepared.run(runContext(context));
}
