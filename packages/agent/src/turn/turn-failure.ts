import { AcumenError } from "@acumen/core";
import { isModelError, modelFailureKind } from "@acumen/models";
import { agentError } from "../errors.ts";
import type { EventPayload } from "../events/session-event.ts";

/** A session that cannot be written any more. */
const STORE_CODES = new Set([
  "AGENT_STORE_FAILED",
  "AGENT_SESSION_NOT_FOUND",
  "AGENT_SESSION_CLOSED",
]);

export function isStoreFailure(error: AcumenError): boolean {
  return STORE_CODES.has(error.code);
}

/** A failure in the form that callers get; a fault of the program becomes a coded error too. */
export function codedFailure(error: unknown): AcumenError {
  if (AcumenError.isInstance(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return agentError("AGENT_TURN_FAILED", `The turn ended by a fault of the program: ${reason}`, {
    cause: error,
  });
}

/** The service never answered, so the key is not wrong but missing. */
export function lacksCredentials(error: AcumenError): boolean {
  return modelFailureKind(error) === "auth" && error.details["status"] === undefined;
}

export function noCredentials(error: AcumenError): AcumenError {
  const { provider, model } = error.details;
  return agentError("AGENT_NO_CREDENTIALS", error.message, {
    details: { provider, model },
    cause: error,
  });
}

export function errorPayload(error: AcumenError, attempt: number): EventPayload<"ERROR"> {
  const { code, message, retryable } = error;
  return { code, message, retryable, source: sourceOf(error), attempt };
}

function sourceOf(error: AcumenError): EventPayload<"ERROR">["source"] {
  if (isStoreFailure(error)) return "store";
  return error.code === "AGENT_NO_CREDENTIALS" || isModelError(error) ? "model" : "tool";
}
