import { AcumenError } from "@acumen/core";
import { RequestError } from "@agentclientprotocol/sdk";
import { shortened } from "../mapping/wire-text.ts";

const BAD_PARAMS: ReadonlySet<string> = new Set([
  "AGENT_PROMPT_INVALID",
  "AGENT_WORKSPACE_INVALID",
  "AGENT_WORKSPACE_UNTRUSTABLE",
  "AGENT_CURSOR_INVALID",
]);
const UNKNOWN_SESSION: ReadonlySet<string> = new Set([
  "AGENT_SESSION_NOT_FOUND",
  "AGENT_SESSION_CLOSED",
]);
const UNKNOWN_RESOURCE = -32_002;
/** What a host sent is told back, but not megabytes of it. */
const MAX_CHARS = 5_000;

/**
 * A failure as the wire has it. Holds neither secrets nor stacks: messages and details of coded errors hold none, and of
 * other errors nothing is told.
 */
export function requestError(error: unknown, sessionId?: string): RequestError {
  if (error instanceof RequestError) return error;
  if (!AcumenError.isInstance(error)) {
    const details = "The agent failed inside; its log says more.";
    return new RequestError(-32603, details, { code: "INTERNAL", retryable: false, details });
  }
  const { code, retryable } = error;
  const message = shortened(error.message, MAX_CHARS);
  const details = bounded(error.details);
  if (UNKNOWN_SESSION.has(code)) return unknownSession(sessionId, message);
  if (BAD_PARAMS.has(code)) return new RequestError(-32602, message, { code, ...details });
  if (code === "AGENT_NO_CREDENTIALS") return noCredentials(message);
  const known = code === "AGENT_SESSION_LOCKED" ? "SESSION_LOCKED" : code;
  // Hosts show `details` as it is.
  return new RequestError(-32603, message, {
    ...details,
    code: known,
    retryable,
    details: message,
  });
}

/** No session of this id is open, or none is stored. */
export function unknownSession(
  sessionId: string | undefined,
  message = "This session is not open. Load it, or begin a new one.",
): RequestError {
  const data = sessionId === undefined ? {} : { sessionId: shortened(sessionId, MAX_CHARS) };
  return new RequestError(UNKNOWN_RESOURCE, message, data);
}

/** Another host of this process has the session open. */
export function heldByOther(sessionId: string): RequestError {
  const details = `Another host has the session ${sessionId} open. Close it there first.`;
  return new RequestError(-32603, details, { code: "SESSION_LOCKED", retryable: false, details });
}

/** @param message what to set before a model can be asked */
export function noCredentials(message: string): RequestError {
  return new RequestError(-32000, message, { code: "AGENT_NO_CREDENTIALS", details: message });
}

/** There are keys, and nobody said which model is meant. */
export function noModel(): RequestError {
  const details =
    "No language model is chosen. Run `acumen setup`, or set `ACUMEN_MODEL` or `--model`.";
  return new RequestError(-32603, details, { code: "NO_MODEL", retryable: false, details });
}

function bounded(details: AcumenError["details"]): AcumenError["details"] {
  return Object.fromEntries(
    Object.entries(details).map(([name, value]) => [
      name,
      typeof value === "string" ? shortened(value, MAX_CHARS) : value,
    ]),
  );
}
