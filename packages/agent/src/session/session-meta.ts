import { THOUGHT_LEVELS } from "@acumen/models";
import { z } from "zod";
import { SESSION_MODES } from "../approval/session-mode.ts";

/** A decision that was given for good, in this session. */
export const rememberedDecisionSchema = z.object({
  /** ULID, to revoke it by. */
  id: z.string(),
  decision: z.enum(["allow", "reject"]),
  /** What it covers, as the gate compares it; see `approval/remembered-scope.ts`. Holds no command, only its digest. */
  scope: z.string(),
  /** The same in words, without secrets. */
  description: z.string(),
  created_at: z.string(),
});
export type RememberedDecision = z.output<typeof rememberedDecisionSchema>;

/** What `meta.json` holds: everything that a list shows, and the settings that a session keeps. */
export const sessionMetaSchema = z.object({
  format: z.literal("acumen.session"),
  version: z.literal(1),
  /** ULID. */
  session_id: z.string(),
  /** Absolute, real path. */
  cwd: z.string(),
  additional_directories: z.array(z.string()),
  /** First line of the first prompt, at most 80 characters; empty before it. */
  title: z.string(),
  model: z.string(),
  mode: z.enum(SESSION_MODES),
  /** Absent or null: the model's default. */
  thought_level: z.enum(THOUGHT_LEVELS).nullable().exactOptional(),
  remembered: z.array(rememberedDecisionSchema),
  /** ISO 8601, UTC. */
  created_at: z.string(),
  updated_at: z.string(),
});
export type SessionMeta = z.output<typeof sessionMetaSchema>;
