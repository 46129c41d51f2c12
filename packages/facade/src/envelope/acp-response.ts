import { z } from "zod";
import { acpErrorDetailSchema } from "./acp-error-detail.ts";
import { jsonObjectSchema } from "./json-value.ts";

const answer = {
  acp_version: z.string(),
  /** That of the request. */
  request_id: z.string(),
  /** Milliseconds of a clock that never jumps. */
  timing_ms: z.number().nonnegative(),
};

export const acpResponseSchema = z.discriminatedUnion("status", [
  z.strictObject({
    ...answer,
    status: z.literal("ok"),
    data: jsonObjectSchema,
    error: z.null(),
  }),
  z.strictObject({
    ...answer,
    status: z.literal("error"),
    data: jsonObjectSchema,
    error: acpErrorDetailSchema,
  }),
]);
export type AcpResponse = z.output<typeof acpResponseSchema>;
