import { mcpNamespace, toolPart } from "../registries/tool-name.ts";

/** As `registry.list_tools` names it. @param server of MCP; undefined: built in */
export function toolName(raw: string, server: string | undefined): string {
  return server === undefined ? `builtin/${raw}` : `${mcpNamespace(server)}/${toolPart(raw)}`;
}
