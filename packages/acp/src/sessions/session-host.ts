import type { CodingSession, EventPayload, SessionHost } from "@acumen/agent";
import type { AgentContext, McpServer } from "@agentclientprotocol/sdk";
import type { ClientFeatures } from "../client/client-features.ts";
import { hostApprovals } from "../permission/permission-gateway.ts";
import { hostServers } from "./host-servers.ts";

export interface SessionHostOptions {
  readonly client: AgentContext;
  readonly features: ClientFeatures;
  readonly servers: readonly McpServer[];
  /** Also the MCP servers of machine and workspace. */
  readonly inheritMcp: boolean;
  /** Undefined until it was opened. */
  readonly session: () => CodingSession | undefined;
}

/** What an editor is for one session: who answers, whose files, which servers. */
export function sessionHost(options: SessionHostOptions): SessionHost {
  const { client, servers, inheritMcp: inherit, session } = options;
  return {
    approvals: hostApprovals(client, (callId) => announcedCall(session(), callId)),
    mcp: { servers: hostServers(servers), inherit },
  };
}

function announcedCall(
  session: CodingSession | undefined,
  callId: string,
): EventPayload<"TOOL_CALL"> | undefined {
  const event = session?.events.findLast(
    ({ type, payload }) => type === "TOOL_CALL" && payload.call_id === callId,
  );
  return event?.type === "TOOL_CALL" ? event.payload : undefined;
}
