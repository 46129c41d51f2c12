import type { McpConfigManager, McpServerDefinition } from "@acumen/agent";

/** MCP servers that a trusted project has enabled, in the shape of `mcpServers`, with their variables put in. */
export async function projectServers(
  mcp: McpConfigManager,
  cwd: string,
): Promise<Readonly<Record<string, unknown>>> {
  const { servers } = await mcp.sourceFor({ cwd }).resolve();
  return Object.fromEntries(
    servers.flatMap(({ name, enabled, disabledReason, definition }) =>
      enabled && disabledReason === undefined && definition !== undefined
        ? [[name, written(definition)]]
        : [],
    ),
  );
}

function written({
  transport,
  ...definition
}: McpServerDefinition): Readonly<Record<string, unknown>> {
  return { type: transport, ...definition };
}
