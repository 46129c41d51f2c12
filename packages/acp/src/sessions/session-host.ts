import type { EventPayload, SessionHost } from "@acumen/agent";
import type { Logger } from "@acumen/core";
import type { AgentContext, McpServer } from "@agentclientprotocol/sdk";
import type { ClientFeatures } from "../client/client-features.ts";
import type { HostPaths } from "../client/host-paths.ts";
import { hostOperations } from "../client/host-operations.ts";
import { hostQuestions } from "../client/host-questions.ts";
import { hostApprovals } from "../permission/permission-gateway.ts";
import { hostServers } from "./host-servers.ts";
import type { HostedSession } from "./hosted-session.ts";

export interface SessionHostOptions {
  readonly client: AgentContext;
  readonly features: ClientFeatures;
  readonly paths: HostPaths;
  readonly servers: readonly McpServer[];
  /** Also the MCP servers of machine and workspace. */
  readonly inheritMcp: boolean;
  /** Undefined until it is open; asked for when something is sent. */
  readonly opened: () => HostedSession | undefined;
  /** Aborted when the session was closed. */
  readonly ended: AbortSignal;
  readonly logger?: Logger;
}

const TRUST_HINT =
  "Look at it, then type `/trust` here or run `acumen trust` in it; `--trust-once` trusts for one process.";

/** What an editor is for one session: who answers, whose files and terminals, which servers. */
export function sessionHost(options: SessionHostOptions): SessionHost {
  const { client, paths, servers, inheritMcp: inherit, opened } = options;
  const services = { ...options, sessionId: () => opened()?.session.id ?? "" };
  const operations = hostOperations({
    ...services,
    onTerminal: (callId, terminalId) => opened()?.showTerminal(callId, terminalId),
  });
  const questions = hostQuestions(services);
  return {
    approvals: hostApprovals(client, (callId) => announcedCall(opened(), callId), {
      onCancelled: (arrival) => opened()?.cancelledBy(arrival),
      paths,
    }),
    mcp: { servers: hostServers(servers), inherit },
    trustHint: TRUST_HINT,
    ...(operations !== undefined && { operations }),
    ...(questions !== undefined && { questions }),
  };
}

function announcedCall(
  hosted: HostedSession | undefined,
  callId: string,
): EventPayload<"TOOL_CALL"> | undefined {
  const event = hosted?.session.events.findLast(
    ({ type, payload }) => type === "TOOL_CALL" && payload.call_id === callId,
  );
  return event?.type === "TOOL_CALL" ? event.payload : undefined;
}
