import type { McpServerDefinition, McpTransport } from "./server-definition.ts";

/** One server as files, trust and host have it at one moment; what a session paused is not in here. */
export interface ResolvedMcpServer {
  /** As it is configured; compared exactly. */
  readonly name: string;
  /** `host`: handed over by whoever drives the session, not defined on this machine. */
  readonly source: "machine" | "host";
  /** Null: nobody said. */
  readonly transport: McpTransport | null;
  /** The workspace chose it, also when {@link disabledReason} keeps that from counting. */
  readonly enabled: boolean;
  /** Enabled here, and all the same not to be started: the workspace is not trusted. Holds the remedy. */
  readonly disabledReason?: string;
  /** Enabled and defined nowhere. */
  readonly missing: boolean;
  /** Absent with {@link fault} and {@link missing}. */
  readonly definition?: McpServerDefinition;
  /** Why the definition cannot be used, with place and remedy; without values of `env` and `headers`. */
  readonly fault?: string;
  /** What the definition says in vain, each a sentence without values; absent: nothing. */
  readonly notes?: readonly string[];
  /** Changes with the definition. SHA-256, hex. */
  readonly fingerprint: string;
  /** Values that may show up nowhere: of `env` and `headers`, and of variables that were put in. */
  readonly secrets: readonly string[];
}

/** What a session begins with, and again whenever a file of it changes. */
export interface ResolvedMcpConfig {
  /** In the order that decides who owns a name: machine definitions as the file has them, then missing ones, then the host's. Names are unique. */
  readonly servers: readonly ResolvedMcpServer[];
  /** Absolute paths, also of files that do not exist. */
  readonly files: { readonly machine: string; readonly workspace: string };
  /** Files that cannot be read, with line and column: whatever they would say does not count. */
  readonly problems: readonly string[];
}

/** Where a session's runtime looks again. */
export interface McpConfigSource {
  /** Never throws for what a file says. */
  resolve(): Promise<ResolvedMcpConfig>;
  /** Another text when {@link resolve} might say something else: cheap enough for every second. */
  stamp(): Promise<string>;
}
