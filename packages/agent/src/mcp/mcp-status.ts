import type { McpTransport } from "./config/server-definition.ts";

const MCP_STATES = ["connecting", "connected", "disabled", "paused", "error", "missing"] as const;
/**
 * disabled: defined, not enabled here (or the workspace is not trusted). paused: enabled, paused in this session. missing: enabled
 * here, defined nowhere. error: unusable definition, no connection, no list, a name conflict, or a server that ended. connecting
 * passes.
 */
export type McpState = (typeof MCP_STATES)[number];

/** A name that was taken when a tool came. */
export interface NameConflict {
  /** Raw name. */
  readonly tool: string;
  /** `built-in`, or the name of a server. */
  readonly owner: string;
  /** What became of the tool: `rejected`, or the name that it is exposed under. */
  readonly resolution: string;
}

/** A tool that is left out alone. */
export interface QuarantinedTool {
  readonly tool: string;
  readonly reason: string;
}

/** One server at this moment, in the form that is printed as JSON. Texts are safe to show and hold no secrets. */
export interface McpServerStatus {
  readonly server: string;
  readonly source: "machine" | "host";
  readonly transport: McpTransport | null;
  readonly state: McpState;
  /** Why, with the remedy; `needs_auth: …` for a 401. Absent when there is nothing to say. */
  readonly reason?: string;
  /** Tools that the model is given. */
  readonly tool_count: number;
  readonly enabled: boolean;
  readonly paused: boolean;
  readonly conflicts: readonly NameConflict[];
  readonly quarantined: readonly QuarantinedTool[];
  /** When the state began. ISO 8601, UTC. */
  readonly since: string;
  /** Null: not connected. */
  readonly protocol_version: string | null;
}

export interface McpStatusChange {
  readonly server: string;
  readonly state: McpState;
  readonly previous: McpState | null;
  readonly reason: string | null;
}
