import { createHash } from "node:crypto";
import type {
  McpConfigSource,
  ResolvedMcpConfig,
  ResolvedMcpServer,
} from "../../../src/mcp/config/resolved-config.ts";
import type { StdioDefinition } from "../../../src/mcp/config/server-definition.ts";

/** A stdio definition of `command`. */
export function stdioDefinition(
  command: string,
  args: readonly string[],
  more: Partial<StdioDefinition> = {},
): StdioDefinition {
  return {
    transport: "stdio",
    command,
    args,
    env: {},
    timeoutMs: 20_000,
    startupTimeoutMs: 20_000,
    onConflict: "reject",
    trustReadOnlyHint: false,
    ...more,
  };
}

/** A server as a configuration resolves it; its fingerprint follows from the definition. */
export function resolvedServer(
  name: string,
  definition: StdioDefinition | undefined,
  more: Partial<ResolvedMcpServer> = {},
): ResolvedMcpServer {
  return {
    name,
    source: "machine",
    transport: definition?.transport ?? null,
    enabled: true,
    missing: false,
    ...(definition !== undefined && { definition }),
    fingerprint: createHash("sha256")
      .update(JSON.stringify(definition ?? name))
      .digest("hex"),
    secrets: [],
    ...more,
  };
}

/** A configuration that a test changes. */
export class ChangingSource implements McpConfigSource {
  servers: readonly ResolvedMcpServer[];
  problems: readonly string[] = [];
  resolved = 0;
  #version = 0;

  constructor(servers: readonly ResolvedMcpServer[] = []) {
    this.servers = servers;
  }

  resolve(): Promise<ResolvedMcpConfig> {
    this.resolved += 1;
    const { servers, problems } = this;
    return Promise.resolve({ servers, problems, files: { machine: "/m", workspace: "/w" } });
  }

  stamp(): Promise<string> {
    return Promise.resolve(String(this.#version));
  }

  /** Replaces servers of the same name, adds the others. */
  set(...changed: readonly ResolvedMcpServer[]): void {
    const names = new Set(changed.map(({ name }) => name));
    const byName = new Map(changed.map((server) => [server.name, server]));
    const known = new Set(this.servers.map(({ name }) => name));
    this.servers = [
      ...this.servers.map((server) => byName.get(server.name) ?? server),
      ...changed.filter(({ name }) => !known.has(name)),
    ];
    if (names.size > 0) this.#version += 1;
  }

  change(name: string, more: Partial<ResolvedMcpServer>): void {
    const server = this.servers.find((one) => one.name === name);
    if (server === undefined) throw new Error(`no server ${name}`);
    this.set({ ...server, ...more });
  }

  remove(name: string): void {
    this.servers = this.servers.filter((server) => server.name !== name);
    this.#version += 1;
  }
}
