import { AcumenError } from "@acumen/core";
import { mcpError } from "./errors.ts";

/** Why a file cannot be loaded, or not be overwritten (`details.reason`). */
const FILE_REASONS = [
  "not_found",
  "not_a_file",
  "unreadable",
  "not_a_skillbook",
  "newer_version",
  "too_large",
  "not_writable",
  "is_a_link",
  "bad_extension",
  "reserved",
] as const;
export type FileReason = (typeof FILE_REASONS)[number];

const REASONS: Readonly<Record<string, FileReason>> = {
  CORE_FILE_NOT_FOUND: "not_found",
  CORE_FILE_UNREADABLE: "unreadable",
  CORE_FILE_TOO_LARGE: "too_large",
  CORE_FILE_NOT_WRITABLE: "not_writable",
  CORE_JSON_INVALID: "not_a_skillbook",
  ACE_SKILLBOOK_INVALID: "not_a_skillbook",
  ACE_SKILLBOOK_NEWER: "newer_version",
  ACE_SKILLBOOK_TOO_LARGE: "too_large",
};

export function fileError(
  path: string,
  reason: FileReason,
  message: string,
  rest: { readonly cause?: unknown; readonly details?: Readonly<Record<string, unknown>> } = {},
): AcumenError {
  return mcpError("ACE_MCP_VALIDATION_ERROR", message, {
    details: { path, reason, ...rest.details },
    ...(rest.cause !== undefined && { cause: rest.cause }),
  });
}

/** A failure of the engine's or core's file functions as the wire's VALIDATION_ERROR with a reason; others as they are. */
export function asFileError(
  error: unknown,
  path: string,
  whenLocked = " Call again later.",
): unknown {
  if (!AcumenError.isInstance(error)) return error;
  if (error.code === "CORE_LOCK_TIMEOUT") return lockedTooLong(error, path, whenLocked);
  const named = FILE_REASONS.find((reason) => reason === error.details["reason"]);
  const reason = named ?? REASONS[error.code];
  if (reason === undefined) return error;
  const { errno } = error.details;
  return fileError(path, reason, error.message, {
    cause: error,
    ...(typeof errno === "string" && { details: { errno } }),
  });
}

function lockedTooLong(cause: AcumenError, path: string, remedy: string): AcumenError {
  const waitedMs = Number(cause.details["waited_ms"] ?? 0);
  return mcpError(
    "ACE_MCP_TIMEOUT",
    `${path} was in use by another process for ${waitedMs / 1_000} s.${remedy}`,
    {
      cause,
      details: { timeout_seconds: waitedMs / 1_000, waiting: true, path },
      retryable: true,
    },
  );
}
