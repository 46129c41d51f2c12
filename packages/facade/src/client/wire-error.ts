import { type AcumenError, closest } from "@acumen/core";
import type { AcpErrorDetail } from "../envelope/acp-error-detail.ts";
import {
  AcpError,
  AcpNotAvailableError,
  AcpOperationNotFoundError,
  AcpVersionMismatchError,
} from "../errors/acp-error.ts";
import {
  AuthenticationError,
  AuthorizationError,
  ResourceNotFoundError,
} from "../errors/domain-error.ts";
import { OPERATIONS } from "../operations/operation-table.ts";

/** What a request was about, for errors that name it. */
export interface Asked {
  readonly operation: string;
  readonly version: string;
}

/** The failure that dispatch in process raises instead of answering; undefined for every other. */
export function raisedError(
  { code, details }: AcpErrorDetail,
  { operation, version }: Asked,
): AcpError | undefined {
  if (code === "OPERATION_NOT_FOUND") {
    return new AcpOperationNotFoundError(operation, closest(operation, [...OPERATIONS.keys()]));
  }
  if (code !== "VERSION_MISMATCH") return undefined;
  const supported = details["supported"];
  const names = Array.isArray(supported) ? supported.filter((one) => typeof one === "string") : [];
  return new AcpVersionMismatchError(version, names);
}

/** The error of an envelope, as a class of this process. */
export function errorOf(detail: AcpErrorDetail, asked: Asked): AcumenError {
  const { code, message, details, retryable = false } = detail;
  const rest = { details, retryable };
  if (code === "AUTH_ERROR") return new AuthenticationError(message, rest);
  if (code === "FORBIDDEN") return new AuthorizationError(message, rest);
  if (code === "NOT_FOUND") return new ResourceNotFoundError(message, rest);
  if (code === "NOT_AVAILABLE") return new AcpNotAvailableError(message, rest);
  return raisedError(detail, asked) ?? new AcpError(`FACADE_${code}`, message, rest);
}
