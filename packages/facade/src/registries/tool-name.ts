import { createHash } from "node:crypto";

/** Characters of the part before the slash, and after it. */
const NAMESPACE = /^[a-z0-9][a-z0-9._-]{0,62}$/;
const TOOL = /^[a-z0-9][a-z0-9._/-]{0,126}$/;
const MCP = "mcp.";

/** `mcp.<server>`, as far as the server's name allows it. */
export function mcpNamespace(server: string): string {
  const plain = `${MCP}${server}`;
  return NAMESPACE.test(plain) ? plain : `${MCP}${fitted(server, 63 - MCP.length)}`;
}

/** The part of a tool's name after the slash. */
export function toolPart(raw: string): string {
  return TOOL.test(raw) ? raw : fitted(raw, 127);
}

/** What could not stay as it is gets a mark of its own: two names that look alike afterwards never become one. */
function fitted(raw: string, most: number): string {
  const mark = createHash("sha256").update(raw).digest("hex").slice(0, 8);
  const plain = raw
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replace(/^[^a-z0-9]+/, "")
    .slice(0, most - mark.length - 1)
    .replace(/[^a-z0-9]+$/, "");
  return plain === "" ? mark : `${plain}-${mark}`;
}
