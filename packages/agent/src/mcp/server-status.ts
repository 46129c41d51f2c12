import type { McpConnectionHandle } from "./connection/mcp-connection-handle.ts";
import type { McpServerStatus, NameConflict, QuarantinedTool } from "./mcp-status.ts";

export interface StatusFacts {
  readonly paused: boolean;
  readonly toolCount: number;
  readonly conflicts: readonly NameConflict[];
  readonly quarantined: readonly QuarantinedTool[];
  /** For texts of the server. */
  readonly safe: (text: string) => string;
}

/** A server at this moment, as it is shown. */
export function statusOf(
  handle: McpConnectionHandle,
  { paused, toolCount, conflicts, quarantined, safe }: StatusFacts,
): McpServerStatus {
  const { server, state, reason, since, protocolVersion } = handle;
  return {
    server: server.name,
    source: server.source,
    transport: server.transport,
    state: state ?? "connecting",
    ...(reason !== undefined && { reason }),
    tool_count: toolCount,
    enabled: server.enabled,
    paused,
    conflicts: conflicts.map(({ tool, owner, resolution }) => ({
      tool: safe(tool),
      owner,
      resolution,
    })),
    quarantined: quarantined.map((one) => ({ tool: safe(one.tool), reason: safe(one.reason) })),
    since,
    protocol_version: protocolVersion,
  };
}
