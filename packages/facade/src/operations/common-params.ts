import { z } from "zod";
import { EVENT_INCLUDES } from "../services/event-queue-service.ts";

export const planIdParam = z.string().min(1).max(64);
export const sessionIdParam = z.string().min(1).max(64);
export const pageParams = {
  /** `next_cursor` of the page before. */
  cursor: z.string().max(1_024).exactOptional(),
  limit: z.number().int().min(1).max(200).default(50),
};
export const nextCursor = z.string().nullable();

/** `wait: true` waits as long as an answer may take; a number is milliseconds, at most as long. */
export const MAX_WAIT_MS = 30_000;
export const waitParam = z.union([z.boolean(), z.number().int().min(0).max(MAX_WAIT_MS)]);

export function waitMs(wait: boolean | number): number {
  if (typeof wait === "number") return wait;
  return wait ? MAX_WAIT_MS : 0;
}

/** Path of a project, or its resource name. */
export const projectParam = z.string().min(1).max(4096);
export const eventTypesParam = z.array(z.string().min(1).max(128)).min(1).max(50);
/** `output`: with what went into tools and came out of them, each up to 16 KiB. */
export const eventIncludeParam = z.array(z.enum(EVENT_INCLUDES)).min(1).max(10);
export const afterParam = z.number().int().nonnegative();
