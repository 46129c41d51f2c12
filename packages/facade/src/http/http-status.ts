import type { AcpErrorCode } from "../envelope/acp-error-detail.ts";

/** The status of each failure; the body is always an envelope. */
export const HTTP_STATUS = {
  VALIDATION_ERROR: 400,
  VERSION_MISMATCH: 400,
  AUTH_ERROR: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  OPERATION_NOT_FOUND: 404,
  INVALID_STATE: 409,
  CONFLICT: 409,
  PLAN_ERROR: 409,
  CURSOR_EXPIRED: 410,
  PAYLOAD_TOO_LARGE: 413,
  IDEMPOTENCY_MISMATCH: 422,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  CONFIGURATION_ERROR: 503,
  NOT_AVAILABLE: 503,
  TIMEOUT: 504,
} as const satisfies Record<AcpErrorCode, number>;
