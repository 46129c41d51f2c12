import { AcumenError, errnoOf } from "@acumen/core";
import { agentError } from "../errors.ts";

export function sessionNotFound(sessionId: string): AcumenError {
  return agentError(
    "AGENT_SESSION_NOT_FOUND",
    `There is no session ${shown(sessionId)}. \`acumen sessions list\` shows the ids.`,
    { details: { session_id: shown(sessionId) } },
  );
}

export function sessionClosed(sessionId: string): AcumenError {
  return agentError(
    "AGENT_SESSION_CLOSED",
    `The session ${sessionId} was closed. Open it again to go on.`,
    { details: { session_id: sessionId } },
  );
}

/** `host` only when the owner is on another machine, where nobody here can see whether it still runs. */
export function sessionLocked(
  sessionId: string,
  owner: { readonly pid: number; readonly host?: string; readonly lock?: string },
): AcumenError {
  const { pid, host, lock } = owner;
  const message =
    pid === process.pid && host === undefined
      ? `This process (pid ${pid}) has the session ${sessionId} open already. Close it first, or fork the session.`
      : `The session ${sessionId} is open in the process ${pid}${host === undefined ? "" : ` of the machine ${host}`}. End that process, or fork the session.${lock === undefined ? "" : ` If that process is gone, remove ${lock}.`}`;
  return agentError("AGENT_SESSION_LOCKED", message, {
    details: { session_id: sessionId, pid, ...(host !== undefined && { host }) },
  });
}

export function sessionInvalid(sessionId: string, reason: string): AcumenError {
  return agentError("AGENT_SESSION_INVALID", `The session ${sessionId} can't be used: ${reason}.`, {
    details: { session_id: sessionId, reason },
  });
}

/** What could not be written, where and why; coded errors of sessions pass as they are. */
export function storeFailed(path: string, cause: unknown): AcumenError {
  if (AcumenError.isInstance(cause) && cause.code.startsWith("AGENT_")) return cause;
  const errno = failureOf(cause);
  const reason = errno === "ENOSPC" ? "the disk is full" : (errno ?? "unknown error");
  return agentError(
    "AGENT_STORE_FAILED",
    `${path} cannot be written (${reason}). Free space or mend the permissions of its folder; what was stored stays.`,
    { cause, details: { path, errno: errno ?? null } },
  );
}

/** What the store is in cannot be looked through. */
export function storeUnreadable(path: string, cause: unknown): AcumenError {
  const errno = failureOf(cause);
  const reason = errno === "ENOTDIR" ? "it is no folder" : (errno ?? "unknown error");
  return agentError(
    "AGENT_STORE_FAILED",
    `The folder of sessions ${path} cannot be read (${reason}). Mend it and its permissions, or move it away.`,
    { cause, details: { path, errno: errno ?? null } },
  );
}

/** The errno of a system error, also when core has wrapped it. */
export function failureOf(cause: unknown): string | undefined {
  if (!AcumenError.isInstance(cause)) return errnoOf(cause);
  const { errno } = cause.details;
  return typeof errno === "string" ? errno : undefined;
}

/** An id may come from anywhere: bounded, without control characters. */
function shown(id: string): string {
  return id.slice(0, 64).replace(/\p{C}/gu, "\ufffd");
}
