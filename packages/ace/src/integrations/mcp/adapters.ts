import { isJsonObject, type Logger } from "@acumen/core";
import {
  type CallToolResult,
  fromJsonSchema,
  type JsonSchemaType,
  type JsonSchemaValidator,
  type jsonSchemaValidator,
  McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Answer, CallContext } from "./call.ts";
import type { McpServerConfig } from "./config.ts";
import { toEnvelope } from "./errors.ts";
import type { SendProgress } from "./progress.ts";
import { type PublishedTool, toolCatalogue } from "./tool-catalogue.ts";
import { spelled, type ToolName } from "./tool-names.ts";

/** Serves one call; `McpHandlers.call`, behind an import that happens with the first call. */
export type CallTool = (
  tool: ToolName,
  args: unknown,
  context: CallContext,
) => Promise<Answer<ToolName>>;

export interface AdapterDeps {
  readonly config: McpServerConfig;
  readonly version: string;
  readonly call: CallTool;
  readonly logger: Logger;
}

export const SERVER_NAME = "ace-mcp-server";

const INSTRUCTIONS =
  "Ask, teach and keep a skillbook of strategies per session_id. Teach with samples or feedback, then ask questions of the same kind under the same session_id.";

/** The list never changes while the server runs. */
const LIST_TTL_MS = 3_600_000;

/**
 * Publishes schemas without compiling them: the handlers check the arguments themselves, so that a bad call gets our error
 * envelope (the SDK's own check answers with plain text) and JSON strings for objects are understood. Also saves 28 ms.
 */
const publishOnly: jsonSchemaValidator = {
  getValidator:
    <T>(_schema: JsonSchemaType): JsonSchemaValidator<T> =>
    (data) => ({ valid: true, data: data as T, errorMessage: undefined }),
};

/** A protocol server over the handlers; one per connection, in whichever era the client speaks. */
export function createMcpServer(deps: AdapterDeps): McpServer {
  const { config, version } = deps;
  const server = new McpServer(
    { name: SERVER_NAME, title: "Acumen ACE", version },
    {
      capabilities: { tools: { listChanged: false } },
      instructions: INSTRUCTIONS,
      // Given so that the SDK does not build its own (AJV, a tenth of the start) for requests that are never made.
      jsonSchemaValidator: publishOnly,
      cacheHints: { "tools/list": { ttlMs: LIST_TTL_MS, cacheScope: "private" } },
    },
  );
  const catalogue = toolCatalogue(config);
  for (const tool of catalogue) registerTool(server, tool, deps);
  const listed = catalogue.map((tool) => ({ ...tool, name: spelled(tool.name, config.toolNames) }));
  // Both spellings are registered, one is shown.
  server.server.setRequestHandler("tools/list", () => ({ tools: listed.map(asListed) }));
  return server;
}

function registerTool(server: McpServer, tool: PublishedTool, deps: AdapterDeps): void {
  const { title, description, annotations } = tool;
  const definition = {
    title,
    description,
    annotations: { ...annotations },
    inputSchema: fromJsonSchema(asSchema(tool.inputSchema), publishOnly),
    outputSchema: fromJsonSchema(asSchema(tool.outputSchema), publishOnly),
  };
  const serve = async (args: unknown, context: ServerContext): Promise<CallToolResult> =>
    await callTool(tool.name, args, context, deps);
  for (const style of ["dotted", "underscore"] as const)
    server.registerTool(spelled(tool.name, style), definition, serve);
}

async function callTool(
  tool: ToolName,
  args: unknown,
  context: ServerContext,
  { call, logger }: AdapterDeps,
): Promise<CallToolResult> {
  const started = performance.now();
  const { signal } = context.mcpReq;
  const logged = (): Record<string, unknown> => ({
    tool,
    session_id: sessionIdOf(args),
    ms: Math.round(performance.now() - started),
  });
  try {
    const answer = await call(tool, args, { signal, sendProgress: progressSender(context) });
    const result = success(answer);
    logger.debug("call served", { ...logged(), reply_chars: textChars(result) });
    return result;
  } catch (error) {
    // Nobody waits for the reply to a cancelled call; its abort is no fault that a log should show.
    const envelope = signal.aborted ? CANCELLED : toEnvelope(error, logger);
    logger.debug("call failed", { ...logged(), code: envelope.code });
    return { isError: true, content: [{ type: "text", text: JSON.stringify(envelope) }] };
  }
}

/** For the log: ids and sizes, never what was asked or answered. */
function sessionIdOf(args: unknown): string | undefined {
  const id = isJsonObject(args) ? args["session_id"] : undefined;
  return typeof id === "string" ? id.slice(0, 100) : undefined;
}

function textChars({ content }: CallToolResult): number {
  return content.reduce((sum, block) => sum + (block.type === "text" ? block.text.length : 0), 0);
}

const CANCELLED = {
  code: "ACE_MCP_INTERNAL_ERROR",
  message: "The call was cancelled by the client.",
  details: {},
};

function success({ reply, meta }: Answer<ToolName>): CallToolResult {
  return {
    content: [{ type: "text", text: JSON.stringify(reply) }],
    structuredContent: { ...reply },
    ...(meta && { _meta: { ...meta } }),
  };
}

function progressSender(context: ServerContext): SendProgress | undefined {
  const token = context.mcpReq._meta?.progressToken;
  if (token === undefined) return undefined;
  return async (update) => {
    await context.mcpReq.notify({
      method: "notifications/progress",
      params: { progressToken: token, ...update },
    });
  };
}

/** The SDK's types want to see `type: "object"`, which every schema of the contract has. */
function asSchema(schema: Readonly<Record<string, unknown>>): JsonSchemaType {
  return schema as JsonSchemaType;
}

function asListed(tool: Omit<PublishedTool, "name"> & { readonly name: string }) {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: { ...tool.inputSchema, type: "object" as const },
    outputSchema: { ...tool.outputSchema, type: "object" as const },
    annotations: { ...tool.annotations },
  };
}
