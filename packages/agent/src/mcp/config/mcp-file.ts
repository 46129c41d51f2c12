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
const FOREIGN_KEYS = ["servers", "context_servers", "mcp", "mcp_servers"] as const;

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
  if (isJsonObject(servers)) return { servers: Object.entries(servers) };
  if (servers !== undefined) {
    const reason = `"${SERVERS_KEY}" must be an object of definitions by name`;
    return { servers: [], fault: document.fault([SERVERS_KEY], reason) };
  }
  const other =
    FOREIGN_KEYS.find((key) => isJsonObject(value[key])) ??
    Object.keys(value).find((key) => closest(key, [SERVERS_KEY]) !== undefined);
  if (other === undefined) return { servers: [] };
  const reason = `"${other}" is not read here. Rename it to "${SERVERS_KEY}"`;
  return { servers: [], fault: document.fault([other], reason) };
}
