import { AcumenError } from "@acumen/core";
import { RequestError } from "@agentclientprotocol/sdk";

const BAD_PARAMS = new Set([
  "AGENT_PROMPT_INVALID",
  "AGENT_WORKSPACE_INVALID",
  "AGENT_CURSOR_INVALID",
]);
const UNKNOWN_SESSION = new Set(["AGENT_SESSION_NOT_FOUND", "AGENT_SESSION_CLOSED"]);
const NO_CREDENTIALS = new Set(["AGENT_NO_CREDENTIALS", "CLI_NO_MODEL"]);

/** A failure as the wire has it. Never holds secrets: messages and details of coded errors hold none. */
export function requestError(error: unknown, sessionId?: string): RequestError {
  if (error instanceof RequestError) return error;
  if (!AcumenError.isInstance(error)) {
    return RequestError.internalError({ code: "INTERNAL" }, "The agent failed inside.");
  }
  const { code, message, retryable, details } = error;
  if (UNKNOWN_SESSION.has(code)) return new RequestError(-32002, message, { sessionId });
  if (BAD_PARAMS.has(code)) return new RequestError(-32602, message, { code, ...details });
  if (NO_CREDENTIALS.has(code)) return new RequestError(-32000, message, { code });
  const known = code === "AGENT_SESSION_LOCKED" ? "SESSION_LOCKED" : code;
  return new RequestError(-32603, message, { code: known, retryable, details: message });
}
