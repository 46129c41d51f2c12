import { mcpNamespace, toolPart } from "../registries/tool-name.ts";

/** As `approval.respond` takes it. */
const MAX_CALL_NAME_CHARS = 128;

/**
 * A model may count its calls anew in each session; an answer to a question of an earlier one must not meet another call.
 * @param session of the plan's own, unique
 */
export function callName(session: string, callId: string): string {
  return `${session}.${callId}`.slice(0, MAX_CALL_NAME_CHARS);
}

/** As `registry.list_tools` names it. @param server of MCP; undefined: built in */
export function toolName(raw: string, server: string | undefined): string {
  return server === undefined ? `builtin/${raw}` : `${mcpNamespace(server)}/${toolPart(raw)}`;
}
