import type { McpServer } from "@agentclientprotocol/sdk";

const MAX_NAME_CHARS = 64;

/**
 * The MCP servers that a host hands over, as definitions by name. Hosts call their servers as they like, so names are made
 * usable, and different.
 */
export function hostServers(servers: readonly McpServer[]): Readonly<Record<string, unknown>> {
  const named = new Map<string, unknown>();
  for (const server of servers) named.set(freeName(server.name, named), definitionOf(server));
  return Object.fromEntries(named);
}

function definitionOf(server: McpServer): unknown {
  if (!("type" in server)) {
    const { command, args, env } = server;
    return { type: "stdio", command, args, env: valuesOf(env) };
  }
  const { type, url, headers } = server;
  return { type, url, headers: valuesOf(headers) };
}

function valuesOf(
  pairs: readonly { readonly name: string; readonly value: string }[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}

function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  const usable = name
    .replaceAll(/[^A-Za-z0-9._-]+/gu, "-")
    .replace(/^-+/u, "")
    .slice(0, MAX_NAME_CHARS)
    .replace(/-+$/u, "");
  const base = usable === "" || usable === "__proto__" ? "server" : usable;
  for (let count = 1; ; count += 1) {
    const ending = count === 1 ? "" : `-${count}`;
    const free = `${base.slice(0, MAX_NAME_CHARS - ending.length)}${ending}`;
    if (!taken.has(free)) return free;
  }
}
