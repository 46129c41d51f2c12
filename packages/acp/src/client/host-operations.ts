import type { ToolOperations } from "@acumen/agent";
import { type Logger, silentLogger } from "@acumen/core";
import type { AgentContext } from "@agentclientprotocol/sdk";
import type { ClientFeatures } from "./client-features.ts";
import { ClientRequests, type Timer } from "./client-requests.ts";
import { hostFiles } from "./host-files.ts";
import type { HostPaths } from "./host-paths.ts";
import { HostTerminals, type TerminalShown } from "./host-terminals.ts";

export interface HostOperationsOptions {
  readonly client: AgentContext;
  /** Asked when a request is sent: the session is made after its operations. */
  readonly sessionId: () => string;
  readonly features: ClientFeatures;
  readonly paths?: HostPaths;
  readonly logger?: Logger;
  /** Told of the terminal of a call before the command is waited for, so that the host can be shown it. */
  readonly onTerminal?: TerminalShown;
  /** Aborted when the session is closed: nothing new is asked for. */
  readonly ended?: AbortSignal;
  readonly timer?: Timer;
}

/** The host's editor and terminal in place of disk and processes; undefined: it offers neither. */
export function hostOperations(options: HostOperationsOptions): ToolOperations | undefined {
  const { features, logger = silentLogger, onTerminal } = options;
  const requests = new ClientRequests(options);
  const files = hostFiles(requests, features, logger);
  if (files === undefined && !features.terminal) return undefined;
  return {
    ...(files !== undefined && { files }),
    ...(features.terminal && { processes: new HostTerminals({ requests, logger, onTerminal }) }),
  };
}
