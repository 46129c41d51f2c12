/** How a server is reached. `http` is Streamable HTTP, `sse` the older HTTP with server-sent events. */
export const MCP_TRANSPORTS = ["stdio", "http", "sse"] as const;
export type McpTransport = (typeof MCP_TRANSPORTS)[number];

/** What happens to a server whose tools have names that are taken. */
export const CONFLICT_POLICIES = ["reject", "qualify"] as const;
export type ConflictPolicy = (typeof CONFLICT_POLICIES)[number];

interface CommonDefinition {
  /** Of a call without progress, ms. */
  readonly timeoutMs: number;
  /** From the start to the end of the first list of tools, ms. */
  readonly startupTimeoutMs: number;
  readonly onConflict: ConflictPolicy;
  /** Raw names; absent: all of them. */
  readonly enabledTools?: readonly string[];
  /** Raw names; goes before `enabledTools`. */
  readonly disabledTools?: readonly string[];
  /** What the server says about tools that only read is believed. */
  readonly trustReadOnlyHint: boolean;
}

export interface StdioDefinition extends CommonDefinition {
  readonly transport: "stdio";
  readonly command: string;
  /** As they stand there: order and duplicates count. */
  readonly args: readonly string[];
  /** Beside the safe names of the environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute; absent: the session's working directory. */
  readonly cwd?: string;
}

export interface RemoteDefinition extends CommonDefinition {
  readonly transport: "http" | "sse";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A server as it is started: checked, defaults filled in, variables replaced. */
export type McpServerDefinition = StdioDefinition | RemoteDefinition;

export const DEFAULT_TIMEOUT_MS = 60_000;
export const DEFAULT_STARTUP_TIMEOUT_MS = 20_000;
