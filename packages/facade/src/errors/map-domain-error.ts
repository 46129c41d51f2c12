import { AcumenError, errnoOf } from "@acumen/core";
import {
  ACP_ERROR_CODES,
  type AcpErrorCode,
  type AcpErrorDetail,
} from "../envelope/acp-error-detail.ts";
import type { JsonObject } from "../envelope/json-value.ts";

const OWN = /^FACADE_(.+)$/;
const WIRE_CODES: ReadonlySet<string> = new Set(ACP_ERROR_CODES);

/** Codes of other packages that say something to whoever sent the request. */
const FOREIGN: Readonly<Record<string, AcpErrorCode>> = {
  CORE_ABORTED: "TIMEOUT",
  AGENT_SESSION_NOT_FOUND: "NOT_FOUND",
  AGENT_WORKSPACE_INVALID: "CONFIGURATION_ERROR",
  AGENT_WORKSPACE_UNTRUSTABLE: "CONFIGURATION_ERROR",
  AGENT_TRUST_INVALID: "CONFIGURATION_ERROR",
  AGENT_RULE_INVALID: "CONFIGURATION_ERROR",
  AGENT_MCP_CONFIG_INVALID: "CONFIGURATION_ERROR",
  AGENT_NO_CREDENTIALS: "CONFIGURATION_ERROR",
  MODEL_UNKNOWN: "VALIDATION_ERROR",
};

/** What the machine has too little of; it passes. */
const SHORTAGES: Readonly<Record<string, string>> = {
  ENOSPC: "The disk is full. Free some space and try again.",
  EDQUOT: "The disk quota is used up. Free some space and try again.",
  EMFILE: "Too many files are open. Try again soon, or raise the limit of open files.",
  ENFILE: "Too many files are open on this machine. Try again soon.",
};

/**
 * What goes over the wire for a failure. The brand of the error counts, not `instanceof`, which a second copy of a package breaks.
 * @returns undefined for what is no expected failure: its text may hold paths, queries and secrets
 */
export function knownErrorDetail(error: unknown): AcpErrorDetail | undefined {
  try {
    return detailOf(error);
  } catch {
    // A user's own service may throw anything, also what cannot be read.
    return undefined;
  }
}

function detailOf(error: unknown): AcpErrorDetail | undefined {
  if (!AcumenError.isInstance(error)) return shortageOf(error);
  const [, own = ""] = OWN.exec(error.code) ?? [];
  const code = WIRE_CODES.has(own) ? (own as AcpErrorCode) : FOREIGN[error.code];
  if (code === undefined) return undefined;
  const retryAfter = error.details["retry_after_ms"];
  return {
    code,
    message: error.message,
    details: jsonOf(error.details),
    ...(error.retryable && { retryable: true }),
    ...(isDuration(retryAfter) && { retry_after_ms: Math.ceil(retryAfter) }),
  };
}

/**
 * Every failure as the protocol says it; one that nobody expected gets a text without its cause.
 * @param correlationId under which the log has the cause
 */
export function mapDomainError(error: unknown, correlationId = ""): AcpErrorDetail {
  return (
    knownErrorDetail(error) ?? {
      code: "INTERNAL_ERROR",
      message:
        "The request failed by a fault of the program; its log has the cause" +
        (correlationId === "" ? "." : ` under ${correlationId}.`),
      details: correlationId === "" ? {} : { correlation_id: correlationId },
    }
  );
}

function isDuration(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

/** The text of the system would name paths. */
function shortageOf(error: unknown): AcpErrorDetail | undefined {
  const errno = errnoOf(error) ?? "";
  const message = Object.hasOwn(SHORTAGES, errno) ? SHORTAGES[errno] : undefined;
  if (message === undefined) return undefined;
  return { code: "NOT_AVAILABLE", message, details: { errno }, retryable: true };
}

function jsonOf(details: Readonly<Record<string, unknown>>): JsonObject {
  // Whatever is no JSON (a function, undefined) falls out; a bigint or a cycle would throw.
  try {
    return JSON.parse(JSON.stringify(details)) as JsonObject;
  } catch {
    return {};
  }
}
