import type { CallAnswer } from "../connection/mcp-connection.ts";
import { cleanServerName, cleanServerText } from "./clean-server-text.ts";

type FailedCall = Extract<CallAnswer, { readonly ok: false }>;

const MAX_MESSAGE_BYTES = 4096;

/** A call without a result in words for the model: what happened, whether it may have run, and the remedy. */
export function callFailureText(
  { kind, message }: FailedCall,
  { server, tool }: { readonly server: string; readonly tool: string },
): string {
  const said = cleanServerText(message, MAX_MESSAGE_BYTES);
  const whose = `${cleanServerName(tool)} of the MCP server ${cleanServerName(server)}`;
  switch (kind) {
    case "timeout":
      return `${whose} gave no answer in time: ${said} It may have run all the same. A longer time is set with "timeoutMs" in the server's definition.`;
    case "closed":
      return `The connection ended while ${whose} ran: ${said} It may have run; it is not called again by itself.`;
    case "session_lost":
      return `${whose} was not answered, because the server no longer knows the session: ${said} It may have run; it is not called again by itself.`;
    case "too_large":
      return `The answer of ${whose} is too large to be taken: ${said} It has run. Ask for less at a time.`;
    case "not_sent":
      return `${whose} was not called: ${said}`;
    case "refused":
      return `${whose} was refused by the server: ${said}`;
  }
}
