import { z } from "zod";
import { jsonObjectSchema } from "./json-value.ts";

/** The whole taxonomy of the wire; the first eight are those of the protocol's reference. */
export const ACP_ERROR_CODES = [
  "NOT_FOUND",
  "VALIDATION_ERROR",
  "PLAN_ERROR",
  "INVALID_STATE",
  "AUTH_ERROR",
  "FORBIDDEN",
  "CONFIGURATION_ERROR",
  "INTERNAL_ERROR",
  "OPERATION_NOT_FOUND",
  "NOT_AVAILABLE",
  "VERSION_MISMATCH",
  "CONFLICT",
  "CURSOR_EXPIRED",
  "IDEMPOTENCY_MISMATCH",
  "TIMEOUT",
  "RATE_LIMITED",
  "PAYLOAD_TOO_LARGE",
] as const;
export type AcpErrorCode = (typeof ACP_ERROR_CODES)[number];

export const acpErrorDetailSchema = z.strictObject({
  code: z.enum(ACP_ERROR_CODES),
  /** Safe to show: no stack, no secret. */
  message: z.string(),
  details: jsonObjectSchema.default({}),
  /** The same request may succeed if it is simply sent again. */
  retryable: z.boolean().exactOptional(),
  retry_after_ms: z.number().int().nonnegative().exactOptional(),
});
export type AcpErrorDetail = z.output<typeof acpErrorDetailSchema>;
