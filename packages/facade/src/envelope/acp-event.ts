import { z } from "zod";
import { jsonObjectSchema } from "./json-value.ts";

/** One record of an owner's log, as it is stored and sent. */
export const acpEventSchema = z.strictObject({
  event_id: z.string(),
  /** One of `ACP_EVENT_TYPES`, or `x.` and a name for what a user publishes. */
  event_type: z.string(),
  plan_id: z.string().nullable(),
  session_id: z.string().nullable(),
  data: jsonObjectSchema,
  /** ISO 8601, UTC, milliseconds. */
  timestamp: z.string(),
  /** Gap-free within the owner's log; counts from 1. Of a frame that is no record of the log: the seq after which it resumes, from 0. */
  seq: z.number().int().nonnegative(),
  /** Of the record before it that the same filter lets through; absent where nothing was filtered, null before the first. */
  prev_seq: z.number().int().positive().nullable().exactOptional(),
});
export type AcpEvent = z.output<typeof acpEventSchema>;

/** An event before the log gave it its place. */
export interface AcpEventDraft {
  readonly event_type: string;
  readonly plan_id?: string | null;
  readonly session_id?: string | null;
  readonly data: z.output<typeof jsonObjectSchema>;
}
