import { closest, isJsonObject } from "@acumen/core";
import {
  type ConfigDocument,
  type ConfigFault,
  parseConfig,
  readConfig,
} from "./config-document.ts";

export const SERVERS_KEY = "mcpServers";

/** What `mcp.json` says, as it stands there. */
export interface McpFile {
  /** Names and definitions in the order of the file; unchecked. */
  readonly servers: readonly (readonly [name: string, raw: unknown])[];
  /** Why nothing of the file counts. */
  readonly fault?: ConfigFault;
}

/** Keys under which other programs keep the same. */
const FOREIGN_KEYS = new Set(["servers", "context_servers", "mcp", "mcp_servers"]);
const DEFINITION_KEYS = ["command", "url", "serverUrl", "httpUrl"];

/** A file that is not there defines nothing. Never throws for what it says, and never writes. */
export async function readMcpFile(path: string): Promise<McpFile> {
  const document = await readConfig(path);
  return document === undefined ? { servers: [] } : serversOf(document);
}

export function parseMcpFile(path: string, text: string): McpFile {
  return serversOf(parseConfig(path, text));
}

function serversOf(document: ConfigDocument): McpFile {
  if (!document.ok) return { servers: [], fault: document.fault };
  const { value } = document;
  const servers = value[SERVERS_KEY];
  if (isJsonObject(servers)) {
    return { servers: document.keysAt([SERVERS_KEY]).map((name) => [name, servers[name]]) };
  }
  if (servers !== undefined) {
    const reason = `"${SERVERS_KEY}" must be an object of definitions by name`;
    return { servers: [], fault: document.fault([SERVERS_KEY], reason) };
  }
  const other = Object.keys(value).find((key) => isMisplaced(key, value[key]));
  if (other === undefined) return { servers: [] };
  const reason = `"${other}" is not read here. What is in it belongs under "${SERVERS_KEY}"`;
  return { servers: [], fault: document.fault([other], reason) };
}

/** Another program's key, ours with a slip, or a definition without anything around it. */
function isMisplaced(key: string, value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  if (FOREIGN_KEYS.has(key) || closest(key, [SERVERS_KEY]) !== undefined) return true;
  return DEFINITION_KEYS.some((one) => typeof value[one] === "string");
}
